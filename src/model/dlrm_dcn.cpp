// SPDX-License-Identifier: Apache-2.0
// DLRM with a cross network (Wang et al., DCN v2, arXiv 2008.13535; TorchRec's DLRM_DCN, MLPerf's second DLRM):
//   x0 = [bottom(dense), pooled];  x = cross(x0);  logit = top(x)
#include "models.hpp"

namespace tesserec::model {
namespace {

std::string cross_type(Cross cross) {
  if (cross == Cross::vector) return "vector_cross";
  return cross == Cross::mixture ? "mixture_cross" : "cross";
}

}  // namespace

std::vector<dense::LayerSettings> dlrm_dcn(const Settings& s) {
  const bool matrices = s.cross.type == Cross::low_rank || s.cross.type == Cross::mixture;
  const Index rank = matrices ? s.cross.rank : 0;
  const Index experts = s.cross.type == Cross::mixture ? s.cross.experts : 1;
  return {
      hidden(s, "bottom", "dense", s.bottom),
      {.name = "all", .type = "cat", .inputs = {"bottom", "pooled"}},
      {.name = "cross",
       .type = cross_type(s.cross.type),
       .inputs = {"all"},
       .layers = s.cross.layers,
       .rank = rank,
       .experts = experts},
      mlp(s, "top", "cross", s.top),
  };
}

}  // namespace tesserec::model
