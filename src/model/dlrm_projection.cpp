// SPDX-License-Identifier: Apache-2.0
// DLRM whose vectors are projected before they meet (TorchRec's DLRM_Projection):
//   z0 = bottom(dense);  x = [z0, pooled];  A = branch1(x) [F1, D];  B = branch2(x) [D, F2];  logit = top([z0, A B])
#include "models.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::model {

std::vector<dense::LayerSettings> dlrm_projection(const Settings& s) {
  for (const auto& [key, widths] : {std::pair{"branch1", &s.branch1}, std::pair{"branch2", &s.branch2}})
    if (widths->empty() || widths->back() % s.embedding_dim != 0)
      throw SettingError(key, concat(" is ", join(*widths, "-"),
                                     ": its last width must be a multiple of model.embedding_dim = ", s.embedding_dim));
  return {
      hidden(s, "bottom", "dense", s.bottom),
      {.name = "all", .type = "cat", .inputs = {"bottom", "pooled"}},
      hidden(s, "branch1", "all", s.branch1),
      hidden(s, "branch2", "all", s.branch2),
      {.name = "interaction", .type = "product", .inputs = {"branch1", "branch2"}, .dim = s.embedding_dim},
      {.name = "both", .type = "cat", .inputs = {"bottom", "interaction"}},
      mlp(s, "top", "both", s.top),
  };
}

}  // namespace tesserec::model
