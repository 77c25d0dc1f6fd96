// SPDX-License-Identifier: Apache-2.0
#include "figures.hpp"
#include "rows.hpp"
#include "scale.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {

std::string growth(const Runs& runs) {
  if (runs.many()) return "";
  std::vector<std::vector<std::string>> rows = {
      {"run", "table", "capacity", "rows in use", "of all", "ids that wait", "admitted", "refused", "evicted"}};
  for (const Run& run : runs.all) {
    const auto add = [&](const Json& tables) {
      for (const Json& table : tables.elements()) {
        if (!table.has("growing")) continue;
        const Json& growing = table.at("growing");
        const auto count = [&](const char* key) { return tick_text(growing.at(key).number()); };
        const double share = growing.at("rows").number() / growing.at("capacity").number();
        rows.push_back({swatch(run.css) + escaped(run.name), escaped(table.at("name").string()), count("capacity"),
                        count("rows"), significant(100 * share, 3) + " %", count("waiting"), count("admitted"),
                        count("refused"), count("evicted")});
      }
      return true;
    };
    run.result.read({"tables"}, add);
  }
  if (rows.size() == 1) return "";
  return element("div", {{"class", "wide"}},
                 element("h3", {}, "Growing tables") +
                     element("p", {{"class", "note"}},
                             "Rows at the end, and ids that got a row, found none, or lost it in the last start. An id "
                             "that found no row is counted in each batch that asks for one.") +
                     table(rows)) +
         "\n";
}

}  // namespace tesserec::report
