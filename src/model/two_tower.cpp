// SPDX-License-Identifier: Apache-2.0
// Two towers (Huang et al., CIKM 2013; Yi et al., RecSys 2019): a query's vector and an item's, which meet in a dot.
//   u = tower(query);  v = tower(item);  logit = u . v, or [u, v] for the loss in_batch_softmax
#include "models.hpp"

namespace tesserec::model {

std::vector<dense::LayerSettings> two_tower(const Settings& s) {
  if (s.towers.empty()) throw SettingError("towers", " is empty: each tower needs one layer at least");
  if (s.item.empty())
    throw SettingError("item", " is missing: list what the item's tower reads, as [\"pooled.FEATURE\"]");
  const bool softmax = s.loss == "in_batch_softmax";
  const std::string last_name = softmax ? "both" : "score";
  const std::string last_type = softmax ? "cat" : "score";
  return {
      {.name = "items", .type = "cat", .inputs = s.item},
      mlp(s, "item", "items", s.towers),
      {.name = "queries", .type = "cat", .inputs = s.query},
      mlp(s, "query", "queries", s.towers),
      {.name = last_name, .type = last_type, .inputs = {"query", "item"}},
  };
}

}  // namespace tesserec::model
