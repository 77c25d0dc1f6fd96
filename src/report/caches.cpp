// SPDX-License-Identifier: Apache-2.0
#include "figures.hpp"
#include "rows.hpp"
#include "scale.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {

std::string caches(const Runs& runs) {
  if (runs.many()) return "";
  std::vector<std::vector<std::string>> rows = {{"run", "table", "rows in the cache", "of all",
                                                 "ids that found their row", "ids of the most frequent rows",
                                                 "rows read", "bytes read", "bytes written"}};
  for (const Run& run : runs.all) {
    const auto add = [&](const Json& tables) {
      for (const Json& table : tables.elements()) {
        if (!table.has("cache")) continue;
        const Json& cache = table.at("cache");
        const auto percent = [](double share) { return significant(100 * share, 3) + " %"; };
        const double slots = cache.at("rows").number(), ids = cache.at("ids").number();
        const double reads = cache.at("reads").number();
        const auto share = [&](const char* key) { return cache.has(key) ? percent(cache.at(key).number()) : nothing; };
        rows.push_back({swatch(run.css) + escaped(run.name), escaped(table.at("name").string()), tick_text(slots),
                        share("share"), ids > 0 ? percent(1 - reads / ids) : nothing, share("frequent_share"),
                        tick_text(reads), bytes_text(cache.at("bytes_read").number()),
                        bytes_text(cache.at("bytes_written").number())});
      }
      return true;
    };
    run.result.read({"tables"}, add);
  }
  if (rows.size() == 1) return "";
  return element("div", {{"class", "wide"}},
                 element("h3", {}, "Caches of rows on disk or in host memory") +
                     element("p", {{"class", "note"}},
                             "Rows of kernel disk or host_cached in training and evaluations of the last start, all "
                             "ranks. Rows are read from the file, or copied to the device, unless the cache has them. "
                             "Kernel disk reads no row that is at its start values. The most frequent rows are as many "
                             "as the cache holds, by Zipf's law or counted frequencies: a cache that held just these "
                             "would find their ids.") +
                     table(rows)) +
         "\n";
}

}  // namespace tesserec::report
