// SPDX-License-Identifier: Apache-2.0
// DLRM (Naumov et al., arXiv 1906.00091):
//   z0 = bottom(dense);  x = interaction(z0, pooled);  logit = top(x)
#include "models.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::model {

std::vector<dense::LayerSettings> dlrm(const Settings& s) {
  const bool dot = s.interaction == Interaction::dot;
  if (dot && s.bottom.back() != s.embedding_dim)
    throw SettingError("bottom",
                       concat(" is ", join(s.bottom, "-"),
                              ": with interaction dot its last width must be model.embedding_dim = ", s.embedding_dim));
  return {
      hidden(s, "bottom", "dense", s.bottom),
      {.name = "interaction", .type = dot ? "dot" : "cat", .inputs = {"bottom", "pooled"}, .itself = s.itself},
      mlp(s, "top", "interaction", s.top),
  };
}

}  // namespace tesserec::model
