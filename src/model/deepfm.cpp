// SPDX-License-Identifier: Apache-2.0
// DeepFM (Guo et al., arXiv 1703.04247) with dense features, as TorchRec's SimpleDeepFMNN:
//   z0 = bottom(dense);  x = [z0, pooled];  logit = top([z0, deep(x), fm(x)])
#include "models.hpp"

namespace tesserec::model {

std::vector<dense::LayerSettings> deepfm(const Settings& s) {
  return {
      hidden(s, "bottom", "dense", s.bottom),
      {.name = "all", .type = "cat", .inputs = {"bottom", "pooled"}},
      hidden(s, "deep", "all", s.deep),
      {.name = "fm", .type = "fm", .inputs = {"all"}},
      {.name = "both", .type = "cat", .inputs = {"bottom", "deep", "fm"}},
      mlp(s, "top", "both", s.top),
  };
}

}  // namespace tesserec::model
