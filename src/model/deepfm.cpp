// SPDX-License-Identifier: Apache-2.0
// DeepFM (Guo et al., arXiv 1703.04247) with dense features, as TorchRec's SimpleDeepFMNN:
//   z0 = bottom(dense);  x = [z0, pooled];  logit = top([z0, deep(x), fm(x)])
#include "models.hpp"

namespace tesserec::model {

std::vector<dense::LayerSettings> deepfm(const Settings& s) {
  return {
      {.name = "bottom", .type = "mlp", .inputs = {"dense"}, .widths = s.bottom, .relu_at_end = true},
      {.name = "all", .type = "cat", .inputs = {"bottom", "pooled"}},
      {.name = "deep", .type = "mlp", .inputs = {"all"}, .widths = s.deep, .relu_at_end = true},
      {.name = "fm", .type = "fm", .inputs = {"all"}},
      {.name = "both", .type = "cat", .inputs = {"bottom", "deep", "fm"}},
      {.name = "top", .type = "mlp", .inputs = {"both"}, .widths = s.top},
  };
}

}  // namespace tesserec::model
