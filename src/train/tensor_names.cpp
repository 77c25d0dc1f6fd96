// SPDX-License-Identifier: Apache-2.0
#include "tensor_names.hpp"

#include <algorithm>
#include <optional>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::train {
namespace {

/// Parts of "dense.LAYER.INDEX.KIND", such as dense.top.0.weight.
struct DenseName {
  std::string layer, kind;
  Index index = 0;
};

std::optional<DenseName> dense_name(const std::string& name) {
  constexpr std::string_view head = "dense.";
  if (!name.starts_with(head)) return std::nullopt;
  const std::size_t layer = name.find('.', head.size()), kind = name.rfind('.');
  if (layer == std::string::npos || kind <= layer) return std::nullopt;
  const auto index = parse_number<Index>(std::string_view(name).substr(layer + 1, kind - layer - 1));
  if (!index) return std::nullopt;
  return DenseName{name.substr(head.size(), layer - head.size()), name.substr(kind + 1), *index};
}

/// Returns the table of "tables.NAME.weight", or nothing.
std::optional<std::string> table_of(const std::string& name) {
  constexpr std::string_view head = "tables.", tail = ".weight";
  if (!name.starts_with(head) || !name.ends_with(tail)) return std::nullopt;
  return name.substr(head.size(), name.size() - head.size() - tail.size());
}

/// Names in dlrm_s_pytorch.py of facebookresearch/dlrm: emb_l is a list of tables; bot_l and top_l are sequences of a
/// linear layer and its activation.
std::vector<std::string> names_of_reference(const std::string& name, const std::vector<std::string>& tables) {
  if (const auto table = table_of(name))
    return {concat("emb_l.", std::ranges::find(tables, *table) - tables.begin(), ".weight")};
  const auto dense = dense_name(name);
  if (!dense || (dense->layer != "bottom" && dense->layer != "top")) return {};
  return {concat(dense->layer == "bottom" ? "bot_l." : "top_l.", 2 * dense->index, ".", dense->kind)};
}

/// Names in torchrec/models/dlrm.py. Tables have any name there; torchrec_dlrm calls them t_FEATURE, with the features
/// cat_0, cat_1, ... of Criteo.
std::vector<std::string> names_of_torchrec(const std::string& name, const std::vector<std::string>& tables,
                                           Index top_layers) {
  if (const auto table = table_of(name)) {
    std::vector<std::string> names = {*table, "t_" + *table,
                                      concat("t_cat_", std::ranges::find(tables, *table) - tables.begin())};
    for (std::string& there : names) there = "sparse_arch.embedding_bag_collection.embedding_bags." + there + ".weight";
    return names;
  }
  const auto dense = dense_name(name);
  if (!dense) return {};
  const auto linear = [&](const char* mlp) { return concat(mlp, "._mlp.", dense->index, "._linear.", dense->kind); };
  if (dense->layer == "bottom") return {linear("dense_arch.model")};
  if (dense->layer == "top" && dense->index + 1 < top_layers) return {linear("over_arch.model.0")};
  if (dense->layer == "top") return {"over_arch.model.1." + dense->kind};
  if (dense->layer != "cross") return {};
  const std::string kernels = dense->kind == "v" ? "V_kernels" : "W_kernels";
  return {concat("inter_arch.crossnet.", dense->kind == "bias" ? "bias" : kernels, ".", dense->index)};
}

}  // namespace

std::string tensor_name(const std::string& matrix) {
  std::string name = matrix.ends_with("/value") ? matrix.substr(0, matrix.rfind('/')) : matrix;
  std::ranges::replace(name, '/', '.');
  return name;
}

NamesThere::NamesThere(NameMap map, const Session& session) : map_(map), job_(session.job) {
  for (const embedding::EmbeddingBagConfig& table : session.model.tables().tables()) tables_.push_back(table.name);
}

std::vector<std::string> NamesThere::of(const std::string& name) const {
  if (map_ == NameMap::tesserec) return {name};
  if (map_ == NameMap::reference) return names_of_reference(name, tables_);
  if (job_.model.type == "network" && name.starts_with("dense."))
    fail(
        "--map torchrec does not know the layers of model.type = \"network\", which reads the products of vectors in "
        "another order than TorchRec; import into the model type, or the tables alone with --only");
  return names_of_torchrec(name, tables_, std::ssize(job_.model.top));
}

std::vector<Index> NamesThere::columns_of(const std::string& name, Index columns) const {
  const bool is_dot = job_.model.type == "dlrm" && job_.model.interaction == network::Interaction::dot;
  if (map_ != NameMap::torchrec || !is_dot || job_.model.itself || name != "dense.top.0.weight") return {};
  const Index dim = job_.model.embedding_dim;
  std::vector<Index> there;
  for (Index c = 0; c < dim; ++c) there.push_back(c);
  Index vectors = 2;
  while (dim + vectors * (vectors - 1) / 2 < columns) ++vectors;
  for (Index second = 1; second < vectors; ++second)
    for (Index first = 0; first < second; ++first)
      there.push_back(dim + first * (vectors - 1) - first * (first - 1) / 2 + second - first - 1);
  return there;
}

}  // namespace tesserec::train
