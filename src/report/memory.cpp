// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "chart.hpp"
#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

constexpr std::size_t most_bars = 128;

struct Part {
  const char *name, *css;
  std::vector<double> bytes;  // [rank]
};

/// weights, states and messages of run.json; none where it has none.
std::vector<Part> parts_of(const Run& run) {
  const auto parts = run.start.read({"memory_bytes"}, [](const Json& json) {
    std::vector<Part> read;
    for (const auto& [name, css] : {std::pair{"weights", "s0"}, {"states", "s1"}, {"messages", "s2"}})
      if (json.has(name)) read.push_back({name, css, numbers(json.at(name))});
    for (const Part& part : read)
      if (part.bytes.size() != read[0].bytes.size()) fail("lists of unlike lengths");
    return read;
  });
  return parts.value_or(std::vector<Part>());
}

std::string legend(const std::vector<Part>& parts, bool measured) {
  std::string text;
  for (const Part& part : parts)
    text += element("span", {{"class", "key"}}, element("i", {{"class", concat("swatch ", part.css)}}) + part.name);
  if (measured)
    text += element("span", {{"class", "key"}}, element("i", {{"class", "swatch peak"}}) + "peak, measured");
  return element("p", {{"class", "legend"}}, text);
}

std::string memory_of(const Run& run) {
  const std::vector<Part> parts = parts_of(run);
  if (parts.empty() || parts[0].bytes.empty()) return "";
  std::vector<double> peak = run.result.read({"peak_memory_bytes_of_ranks"}, numbers).value_or(std::vector<double>());
  const std::size_t ranks = parts[0].bytes.size();
  peak.resize(ranks, 0.0);
  std::vector<double> sums(ranks);
  for (const Part& part : parts)
    for (std::size_t rank = 0; rank < ranks; ++rank) sums[rank] += part.bytes[rank];
  const double most =
      std::max(*std::max_element(sums.begin(), sums.end()), *std::max_element(peak.begin(), peak.end()));
  if (!(most > 0)) return "";
  const double unit = most >= 0x1p30 ? 0x1p30 : most >= 0x1p20 ? 0x1p20 : 0x1p10;
  const char* const unit_name = unit == 0x1p30 ? "GiB" : unit == 0x1p20 ? "MiB" : "KiB";
  const std::size_t together = (ranks + most_bars - 1) / most_bars, bars = (ranks + together - 1) / together;

  Plot plot{0, 546, 10, 258};
  const Scale y(0, 1.05 * most / unit, plot.bottom, plot.top);
  plot.left = left_edge(y);
  const double width = (plot.right - plot.left) / double(bars), bar = std::min(0.8 * width, 60.0);
  std::string text = axis_left(plot, y, concat("memory of a rank (", unit_name, ")")) +
                     line(plot.left, plot.bottom, plot.right, plot.bottom, "axis");
  const std::size_t every = (bars + 15) / 16;
  for (std::size_t b = 0; b < bars; ++b) {
    const auto first = sums.begin() + std::ptrdiff_t(b * together);
    const std::size_t rank =
        b * together +
        std::size_t(std::max_element(first, std::min(first + std::ptrdiff_t(together), sums.end())) - first);
    const double x = plot.left + (double(b) + 0.5) * width;
    double below = 0;
    for (const Part& part : parts) {
      const double bytes = part.bytes[rank];
      text +=
          rectangle(x - bar / 2, y.at((below + bytes) / unit), bar, y.at(below / unit) - y.at((below + bytes) / unit),
                    concat("bar ", part.css), hover(concat("rank ", rank, ", ", part.name, ": ", bytes_text(bytes))));
      below += bytes;
    }
    if (peak[rank] > 0) {
      const double at = y.at(peak[rank] / unit);
      text += element("g", {{"class", "peak"}},
                      hover(concat("rank ", rank, ", peak: ", bytes_text(peak[rank]))) +
                          line(x - bar / 2 - 2, at, x + bar / 2 + 2, at, ""));
    }
    if (b % every == 0) text += label(x, plot.bottom + 15, "middle", std::to_string(rank));
  }
  text +=
      label((plot.left + plot.right) / 2, plot.bottom + 34, "middle",
            together > 1 ? concat("rank (number; a bar is the fullest of ", together, ")") : "rank (number)", "title");
  std::string limit;
  if (const double bytes = run.start.number({"plan", "memory_bytes"}); bytes > 0)
    limit = element("p", {{"class", "note"}},
                    concat("By the plan, the fullest rank takes ",
                           bytes_text(*std::max_element(sums.begin(), sums.end())), " of ", bytes_text(bytes), "."));
  return figure("Memory of each rank, " + run.name, picture(560, 300, "Memory of each rank", text),
                legend(parts, *std::max_element(peak.begin(), peak.end()) > 0) + limit);
}

}  // namespace

std::string memory(const Runs& runs) {
  std::string text;
  for (const Run& run : runs.all) text += memory_of(run);
  return text;
}

}  // namespace tesserec::report
