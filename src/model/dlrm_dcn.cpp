// SPDX-License-Identifier: Apache-2.0
// DLRM with a cross network (Wang et al., DCN v2, arXiv 2008.13535; TorchRec's DLRM_DCN, MLPerf's second DLRM):
//   x0 = [bottom(dense), pooled];  x = cross(x0);  logit = top(x)
#include "models.hpp"

namespace tesserec::model {

std::vector<dense::LayerSettings> dlrm_dcn(const Settings& s) {
  return {
      {.name = "bottom", .type = "mlp", .inputs = {"dense"}, .widths = s.bottom, .relu_at_end = true},
      {.name = "all", .type = "cat", .inputs = {"bottom", "pooled"}},
      {.name = "cross",
       .type = s.cross == Cross::vector ? "vector_cross" : "cross",
       .inputs = {"all"},
       .layers = s.cross_layers,
       .rank = s.cross == Cross::low_rank ? s.cross_rank : 0},
      {.name = "top", .type = "mlp", .inputs = {"cross"}, .widths = s.top},
  };
}

}  // namespace tesserec::model
