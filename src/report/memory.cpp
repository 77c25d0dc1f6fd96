// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "chart.hpp"
#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

constexpr std::size_t max_bars = 128;

struct Category {
  const char *name, *css;
  std::vector<double> bytes;  // bytes [rank]
};

/// Returns the weights, states and messages of run.json; empty if it has none.
std::vector<Category> categories_of(const Run& run) {
  const auto categories = run.start.read({"memory_bytes"}, [](const Json& json) {
    std::vector<Category> read;
    for (const auto& [name, css] : {std::pair{"weights", "s0"}, {"states", "s1"}, {"messages", "s2"}})
      if (json.has(name)) read.push_back({name, css, numbers(json.at(name))});
    for (const Category& category : read)
      if (category.bytes.size() != read[0].bytes.size()) fail("the lists differ in length");
    return read;
  });
  return categories.value_or(std::vector<Category>());
}

std::string legend(const std::vector<Category>& categories, bool measured) {
  std::string text;
  for (const Category& category : categories)
    text += element("span", {{"class", "key"}}, swatch(category.css) + category.name);
  if (measured)
    text += element("span", {{"class", "key"}}, element("i", {{"class", "swatch peak"}}) + "peak, measured");
  return element("p", {{"class", "legend"}}, text);
}

/// Returns the planned bytes of each rank [rank].
std::vector<double> sums_of(const std::vector<Category>& categories) {
  std::vector<double> sums(categories.empty() ? 0 : categories[0].bytes.size());
  for (const Category& category : categories)
    for (std::size_t rank = 0; rank < sums.size(); ++rank) sums[rank] += category.bytes[rank];
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
  std::vector<Category> categories;
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
std::string memory_of(const RunsWithSamePlan& group) {
  const std::vector<Category>& categories = group.categories;
  const std::vector<double> sums = sums_of(categories), &peak = group.peak;
  const std::size_t ranks = sums.size();
  if (ranks < 2) return "";
  const double max_bytes = std::max(largest(sums), largest(peak));
  if (!(max_bytes > 0)) return "";
  const auto [unit, unit_name] = unit_of(max_bytes);
  const std::size_t ranks_per_bar = (ranks + max_bars - 1) / max_bars,
                    bars = (ranks + ranks_per_bar - 1) / ranks_per_bar;

  Plot plot{0, 546, 10, 258};
  const Scale y(0, 1.05 * max_bytes / unit, plot.bottom, plot.top);
  plot.left = left_edge(y);
  const double width = (plot.right - plot.left) / double(bars), bar = std::min(0.8 * width, 60.0);
  std::string text = axis_left(plot, y, concat("memory of a rank (", unit_name, ")")) +
                     line(plot.left, plot.bottom, plot.right, plot.bottom, "axis");
  const std::size_t every = (bars + 15) / 16;
  for (std::size_t b = 0; b < bars; ++b) {
    const auto first = sums.begin() + std::ptrdiff_t(b * ranks_per_bar);
    const std::size_t rank =
        b * ranks_per_bar +
        std::size_t(std::max_element(first, std::min(first + std::ptrdiff_t(ranks_per_bar), sums.end())) - first);
    const double x = plot.left + (double(b) + 0.5) * width;
    double below = 0;
    for (const Category& category : categories) {
      const double bytes = category.bytes[rank];
      text += rectangle(x - bar / 2, y.at((below + bytes) / unit), bar,
                        y.at(below / unit) - y.at((below + bytes) / unit), concat("bar ", category.css),
                        hover(concat("rank ", rank, ", ", category.name, ": ", bytes_text(bytes))));
      below += bytes;
    }
    if (peak[rank] > 0) {
      const double height = y.at(peak[rank] / unit);
      text += element("g", {{"class", "peak"}},
                      hover(concat("rank ", rank, ", peak: ", bytes_text(peak[rank]))) +
                          line(x - bar / 2 - 2, height, x + bar / 2 + 2, height, ""));
    }
    if (b % every == 0) text += label(x, plot.bottom + 15, "middle", std::to_string(rank));
  }
  text += label(
      (plot.left + plot.right) / 2, plot.bottom + 34, "middle",
      ranks_per_bar > 1 ? concat("rank (number; a bar shows the fullest of ", ranks_per_bar, ")") : "rank (number)",
      "title");
  return figure("Memory of each rank, " + group.names, picture(560, 300, "Memory of each rank", text),
                legend(categories, largest(peak) > 0));
}

std::string table_of_memory(const Runs& runs) {
  std::vector<std::vector<std::string>> rows = {{"run", "ranks", "fullest rank, planned", "its weights", "states",
                                                 "messages", "memory of a rank", "largest rank, measured peak"}};
  const auto bytes = [](double value) { return value > 0 ? bytes_text(value) : nothing; };
  for (const Run& run : runs.all) {
    const std::vector<Category> categories = categories_of(run);
    const std::vector<double> sums = sums_of(categories);
    const double peak = largest(peaks_of(run));
    if (sums.empty() && !(peak > 0)) continue;
    const auto fullest = std::size_t(std::max_element(sums.begin(), sums.end()) - sums.begin());
    const auto bytes_of = [&](const std::string& name) {
      for (const Category& category : categories)
        if (category.name == name && fullest < category.bytes.size()) return bytes(category.bytes[fullest]);
      return nothing;
    };
    rows.push_back({swatch(run.css) + escaped(run.name), sums.empty() ? nothing : concat(sums.size()),
                    bytes(largest(sums)), bytes_of("weights"), bytes_of("states"), bytes_of("messages"),
                    bytes(run.start.number({"plan", "memory_bytes"})), bytes(peak)});
  }
  if (rows.size() == 1) return "";
  const std::string note = element(
      "p", {{"class", "note"}},
      "The plan counts embedding tables, their optimizer states and the messages of the exchange. The peak is all "
      "memory of the process, including the program and its libraries (MPI, HDF5, Kokkos; about 40 MiB), the dense "
      "half, batches and buffers for reading and checkpoints.");
  return element("div", {{"class", "wide"}}, element("h3", {}, "Memory") + note + table(rows)) + "\n";
}

}  // namespace

std::string memory(const Runs& runs) {
  std::string text = table_of_memory(runs);
  std::vector<RunsWithSamePlan> all;
  for (const Run& run : runs.all) {
    const std::vector<Category> categories = categories_of(run);
    if (categories.empty()) continue;
    std::vector<double> peak = peaks_of(run);
    peak.resize(categories[0].bytes.size(), 0.0);
    const auto same = std::find_if(all.begin(), all.end(), [&](const RunsWithSamePlan& other) {
      return std::equal(categories.begin(), categories.end(), other.categories.begin(), other.categories.end(),
                        [](const Category& a, const Category& b) { return a.bytes == b.bytes; });
    });
    if (same == all.end()) {
      all.push_back({categories, peak, run.name});
      continue;
    }
    same->names += ", " + run.name;
    for (std::size_t rank = 0; rank < peak.size(); ++rank) same->peak[rank] = std::max(same->peak[rank], peak[rank]);
  }
  for (const RunsWithSamePlan& group : all) text += memory_of(group);
  return text;
}

}  // namespace tesserec::report
