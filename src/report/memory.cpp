// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "chart.hpp"
#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

constexpr std::size_t most_bars = 128;

struct Part {
  const char *name, *css;
  std::vector<double> bytes;  // bytes [rank]
};

/// Returns the weights, states and messages of run.json; empty if it has none.
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
  for (const Part& part : parts) text += element("span", {{"class", "key"}}, swatch(part.css) + part.name);
  if (measured)
    text += element("span", {{"class", "key"}}, element("i", {{"class", "swatch peak"}}) + "peak, measured");
  return element("p", {{"class", "legend"}}, text);
}

/// Returns the planned bytes of each rank [rank].
std::vector<double> sums_of(const std::vector<Part>& parts) {
  std::vector<double> sums(parts.empty() ? 0 : parts[0].bytes.size());
  for (const Part& part : parts)
    for (std::size_t rank = 0; rank < sums.size(); ++rank) sums[rank] += part.bytes[rank];
  return sums;
}

double largest(const std::vector<double>& bytes) {
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

std::vector<double> peaks_of(const Run& run) {
  return run.result.read({"peak_memory_bytes_of_ranks"}, numbers).value_or(std::vector<double>());
}

/// Runs whose ranks have the same planned bytes.
struct RunsWithSamePlan {
  std::vector<Part> parts;
  std::vector<double> peak;  // largest peak of these runs, bytes [rank]
  std::string names;
};

struct Unit {
  double bytes;
  const char* name;
};

/// Returns the largest unit up to `bytes`, at least KiB.
Unit unit_of(double bytes) {
  if (bytes >= 0x1p30) return {0x1p30, "GiB"};
  if (bytes >= 0x1p20) return {0x1p20, "MiB"};
  return {0x1p10, "KiB"};
}

/// Draws a bar for each rank, with a mark at its peak; empty for one rank, whose values are in the table.
std::string memory_of(const RunsWithSamePlan& alike) {
  const std::vector<Part>& parts = alike.parts;
  const std::vector<double> sums = sums_of(parts), &peak = alike.peak;
  const std::size_t ranks = sums.size();
  if (ranks < 2) return "";
  const double most = std::max(largest(sums), largest(peak));
  if (!(most > 0)) return "";
  const auto [unit, unit_name] = unit_of(most);
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
  return figure("Memory of each rank, " + alike.names, picture(560, 300, "Memory of each rank", text),
                legend(parts, largest(peak) > 0));
}

std::string table_of_memory(const Runs& runs) {
  std::vector<std::vector<std::string>> rows = {{"run", "ranks", "fullest rank, planned", "of it weights", "states",
                                                 "messages", "room of a rank", "largest rank, measured peak"}};
  const auto bytes = [](double value) { return value > 0 ? bytes_text(value) : nothing; };
  for (const Run& run : runs.all) {
    const std::vector<Part> parts = parts_of(run);
    const std::vector<double> sums = sums_of(parts);
    const double peak = largest(peaks_of(run));
    if (sums.empty() && !(peak > 0)) continue;
    const auto fullest = std::size_t(std::max_element(sums.begin(), sums.end()) - sums.begin());
    const auto part = [&](const std::string& name) {
      for (const Part& one : parts)
        if (one.name == name && fullest < one.bytes.size()) return bytes(one.bytes[fullest]);
      return nothing;
    };
    rows.push_back({swatch(run.css) + escaped(run.name), sums.empty() ? nothing : concat(sums.size()),
                    bytes(largest(sums)), part("weights"), part("states"), part("messages"),
                    bytes(run.start.number({"plan", "memory_bytes"})), bytes(peak)});
  }
  if (rows.size() == 1) return "";
  const std::string note = element(
      "p", {{"class", "note"}},
      "The plan counts embedding tables, their optimizer states and the messages of the exchange. The peak is all that "
      "the process held: also the program and its libraries (MPI, HDF5, Kokkos; some 40 MiB), the dense half, batches "
      "and buffers for reading and checkpoints.");
  return element("div", {{"class", "wide"}}, element("h3", {}, "Memory") + note + table(rows)) + "\n";
}

}  // namespace

std::string memory(const Runs& runs) {
  std::string text = table_of_memory(runs);
  std::vector<RunsWithSamePlan> all;
  for (const Run& run : runs.all) {
    const std::vector<Part> parts = parts_of(run);
    if (parts.empty()) continue;
    std::vector<double> peak = peaks_of(run);
    peak.resize(parts[0].bytes.size(), 0.0);
    const auto same = std::find_if(all.begin(), all.end(), [&](const RunsWithSamePlan& other) {
      return std::equal(parts.begin(), parts.end(), other.parts.begin(), other.parts.end(),
                        [](const Part& a, const Part& b) { return a.bytes == b.bytes; });
    });
    if (same == all.end()) {
      all.push_back({parts, peak, run.name});
      continue;
    }
    same->names += ", " + run.name;
    for (std::size_t rank = 0; rank < peak.size(); ++rank) same->peak[rank] = std::max(same->peak[rank], peak[rank]);
  }
  for (const RunsWithSamePlan& alike : all) text += memory_of(alike);
  return text;
}

}  // namespace tesserec::report
