// SPDX-License-Identifier: Apache-2.0
#include "models.hpp"

#include <tesserec/core/text.hpp>

namespace tesserec::network {
namespace {

std::string cross_type(Cross cross) {
  if (cross == Cross::vector) return "vector_cross";
  return cross == Cross::mixture ? "mixture_cross" : "cross";
}

}  // namespace

// DLRM (Naumov et al., arXiv 1906.00091):
//   z0 = bottom(dense);  x = interaction(z0, pooled);  logit = top(x)
std::vector<layers::LayerSettings> dlrm(const Settings& s) {
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

// DLRM with projected vectors (TorchRec's DLRM_Projection):
//   z0 = bottom(dense);  x = [z0, pooled];  A = branch1(x) [F1, D];  B = branch2(x) [D, F2];  logit = top([z0, A B])
std::vector<layers::LayerSettings> dlrm_projection(const Settings& s) {
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

// DLRM with a cross network (Wang et al., DCN v2, arXiv 2008.13535; TorchRec's DLRM_DCN, MLPerf's second DLRM):
//   x0 = [bottom(dense), pooled];  x = cross(x0);  logit = top(x)
std::vector<layers::LayerSettings> dlrm_dcn(const Settings& s) {
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

// DeepFM (Guo et al., arXiv 1703.04247) with dense features, as TorchRec's SimpleDeepFMNN:
//   z0 = bottom(dense);  x = [z0, pooled];  logit = top([z0, deep(x), fm(x)])
std::vector<layers::LayerSettings> deepfm(const Settings& s) {
  return {
      hidden(s, "bottom", "dense", s.bottom),
      {.name = "all", .type = "cat", .inputs = {"bottom", "pooled"}},
      hidden(s, "deep", "all", s.deep),
      {.name = "fm", .type = "fm", .inputs = {"all"}},
      {.name = "both", .type = "cat", .inputs = {"bottom", "deep", "fm"}},
      mlp(s, "top", "both", s.top),
  };
}

// Wide and deep (Cheng et al., arXiv 1606.07792): a linear model and an MLP, trained jointly.
//   logits = W wide + b + deep([dense, rest])
// The linear model should read tables of its own with one column, a weight per id.
std::vector<layers::LayerSettings> wide_deep(const Settings& s) {
  std::vector<Index> deep = s.deep;
  deep.push_back(s.labels());
  return {
      {.name = "sides", .type = "cat", .inputs = s.wide},           mlp(s, "wide", "sides", {s.labels()}),
      {.name = "all", .type = "cat", .inputs = {"dense", "rest"}},  mlp(s, "deep", "all", deep),
      {.name = "logit", .type = "sum", .inputs = {"wide", "deep"}},
  };
}

// Two towers (Huang et al., CIKM 2013; Yi et al., RecSys 2019): the vectors of a query and of an item.
//   u = tower(query);  v = tower(item);  logit = u . v, or [u, v] for the loss in_batch_softmax
std::vector<layers::LayerSettings> two_tower(const Settings& s) {
  if (s.towers.empty()) throw SettingError("towers", " is empty; give the towers at least one layer");
  if (s.item.empty())
    throw SettingError("item", " is missing; list the inputs of the item's tower, as [\"pooled.FEATURE\"]");
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

// Deep interest network (Zhou et al., KDD 2018, arXiv 1706.06978): an MLP weighs each vector of the user's history by
// its relevance to the candidate item.
//   interest = sum_j mlp(item, history_j) history_j;  logit = top([dense, pooled, interest])
std::vector<layers::LayerSettings> din(const Settings& s) {
  if (s.history.empty())
    throw SettingError("history", " is missing; list a sequence for each item, as [\"unpooled.FEATURE\"]");
  if (s.item.size() != s.history.size())
    throw SettingError("item", concat(" has ", counted(std::ssize(s.item), "input"), ", but history has ",
                                      std::ssize(s.history), "; give each history one item, as \"pooled.FEATURE\""));
  std::vector<layers::LayerSettings> layers;
  layers::LayerSettings all{.name = "all", .type = "cat", .inputs = {"dense", "pooled"}};
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

}  // namespace tesserec::network
