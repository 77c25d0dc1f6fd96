// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checkpoint_parts.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::train {
namespace {

const std::string tables = "tables/", weight = "/weight", value = "/value";

bool is_of_table(const std::string& name) { return name.starts_with(tables); }

/// Returns the weights that a state belongs to: "tables/C1/sum" -> "tables/C1/weight".
std::string weights_of(const std::string& name) {
  return name.substr(0, name.rfind('/')) + (is_of_table(name) ? weight : value);
}

std::string shape(const store::StateRecord& record) { return concat(record.rows, " x ", record.columns); }

/// Ids of a growing table, beside its weights and states.
constexpr const char* ids = "/ids";

/// Returns whether two sets of matrices have a table of one kind: one that grows, or one of rows by their number.
bool is_of_one_kind(const std::string& name, const store::StateRecords& a, const store::StateRecords& b) {
  const std::string table_ids = name.substr(0, name.rfind('/')) + ids;
  return !is_of_table(name) || a.count(table_ids) == b.count(table_ids);
}

bool fits(const std::string& name, const store::StateRecords& all_now, const store::StateRecords& then) {
  const store::StateRecord& now = all_now.at(name);
  const auto found = then.find(name);
  if (found == then.end() || found->second.columns != now.columns || !is_of_one_kind(name, all_now, then)) return false;
  return found->second.rows == now.rows || (is_of_table(name) && found->second.rows < now.rows);
}

}  // namespace

bool is_of_weights(const std::string& name) {
  return name.ends_with(is_of_table(name) ? weight : value) || (is_of_table(name) && name.ends_with(ids));
}

FittingState fitting_state(std::vector<store::StateItem> items, const store::StateRecords& now,
                           const store::StateRecords& then) {
  FittingState state;
  std::map<std::string, Index> rows;  // the checkpoint's rows of each matrix that fits
  for (const auto& [name, record] : now) {
    const std::string weights = weights_of(name);
    const auto owner = now.find(weights);
    if (fits(name, now, then) && (owner == now.end() || fits(weights, now, then))) {
      rows[name] = then.at(name).rows;
      if (const Index more = record.rows - rows[name]; more > 0 && name.ends_with(weight)) {
        const std::string table = name.substr(tables.size(), name.size() - tables.size() - weight.size());
        state.grown.push_back(concat(table, " (", counted(rows[name], "row"), ", ", more, " more here)"));
      }
    } else if (const auto found = then.find(name); found != then.end()) {
      state.fresh.push_back({name, concat(shape(found->second), ", here ", shape(record))});
    } else {
      state.fresh.push_back({name, concat("not there, here ", shape(record))});
    }
  }
  const bool has_states =
      std::any_of(now.begin(), now.end(), [](const auto& item) { return !is_of_weights(item.first); });
  for (const auto& [name, record] : then)
    if (now.count(name) == 0 && (has_states || is_of_weights(name))) state.unused.push_back(name);
  for (store::StateItem& item : items) {
    const auto found = rows.find(item.name);
    if (found == rows.end() || item.slab.first_row >= found->second) continue;
    item.rows = found->second;
    item.slab.rows = std::min(item.slab.rows, item.rows - item.slab.first_row);
    state.items.push_back(std::move(item));
  }
  return state;
}

}  // namespace tesserec::train
