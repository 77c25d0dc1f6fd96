// SPDX-License-Identifier: Apache-2.0
// The deep interest network (Zhou et al., KDD 2018, arXiv 1706.06978): of what a user did, each vector counts by what
// an MLP says of it beside the item that is offered.
//   interest = sum_j mlp(item, history_j) history_j;  logit = top([dense, pooled, interest])
#include "models.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::model {

std::vector<dense::LayerSettings> din(const Settings& s) {
  if (s.history.empty())
    throw SettingError("history",
                       " is missing: list sequences, as [\"unpooled.FEATURE\"], each for the item at its place");
  if (s.item.size() != s.history.size())
    throw SettingError("item",
                       concat(" has ", counted(std::ssize(s.item), "input"), " and history ", std::ssize(s.history),
                              ": each history is weighed by one item, as \"pooled.FEATURE\""));
  std::vector<dense::LayerSettings> layers;
  dense::LayerSettings all{.name = "all", .type = "cat", .inputs = {"dense", "pooled"}};
  for (std::size_t i = 0; i < s.history.size(); ++i) {
    layers.push_back({.name = concat("interest", i),
                      .type = "attention",
                      .inputs = {s.item[i], s.history[i]},
                      .widths = s.attention,
                      .softmax = s.attention_softmax});
    all.inputs.push_back(layers.back().name);
  }
  layers.push_back(std::move(all));
  layers.push_back(mlp(s, "top", "all", s.top));
  return layers;
}

}  // namespace tesserec::model
