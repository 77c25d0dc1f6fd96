// SPDX-License-Identifier: Apache-2.0
// Wide and deep (Cheng et al., arXiv 1606.07792): a linear model beside an MLP, trained together.
//   logit = w . wide + b + deep([dense, rest])
// What the linear part reads is best looked up in tables of one column of their own: a weight for each id.
#include "models.hpp"

namespace tesserec::model {

std::vector<dense::LayerSettings> wide_deep(const Settings& s) {
  std::vector<Index> deep = s.deep;
  deep.push_back(1);
  return {
      {.name = "sides", .type = "cat", .inputs = s.wide},           mlp(s, "wide", "sides", {1}),
      {.name = "all", .type = "cat", .inputs = {"dense", "rest"}},  mlp(s, "deep", "all", deep),
      {.name = "logit", .type = "sum", .inputs = {"wide", "deep"}},
  };
}

}  // namespace tesserec::model
