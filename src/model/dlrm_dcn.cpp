// SPDX-License-Identifier: Apache-2.0
// DLRM with a cross network (Wang et al., DCN v2, arXiv 2008.13535; TorchRec's DLRM_DCN, MLPerf's second DLRM):
//   x0 = [bottom(dense), pooled];  x = cross(x0);  logit = top(x)
#include "models.hpp"

namespace tesserec::model {

std::vector<dense::LayerSettings> dlrm_dcn(const Settings& s) {
  const bool matrices = s.cross == Cross::low_rank || s.cross == Cross::mixture;
  const std::string type = s.cross == Cross::vector    ? "vector_cross"
                           : s.cross == Cross::mixture ? "mixture_cross"
                                                       : "cross";
  return {
      hidden(s, "bottom", "dense", s.bottom),
      {.name = "all", .type = "cat", .inputs = {"bottom", "pooled"}},
      {.name = "cross",
       .type = type,
       .inputs = {"all"},
       .layers = s.cross_layers,
       .rank = matrices ? s.cross_rank : 0,
       .experts = s.cross == Cross::mixture ? s.cross_experts : 1},
      mlp(s, "top", "cross", s.top),
  };
}

}  // namespace tesserec::model
