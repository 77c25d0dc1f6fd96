// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/products/instruction_set.hpp>

namespace tesserec::model {
namespace {

/// Adds a layer's settings to `values`. Structured bindings name all members, here and below, so that a new member
/// does not compile until it is added.
void add(comm::NamedValues& values, std::size_t i, const layers::LayerSettings& layer) {
  const auto& [name, type, inputs, widths, activations, bias, itself, layers, rank, experts, dim, rate, softmax,
               positions, precision, own_values] = layer;
  const std::string at = concat("model.layers[", i, "].");
  values.add(at + "name", name).add(at + "type", type).add(at + "inputs", inputs).add(at + "widths", widths);
  values.add(at + "activations", activations).add(at + "bias", bias).add(at + "itself", itself);
  values.add(at + "layers", layers).add(at + "rank", rank).add(at + "experts", experts).add(at + "dim", dim);
  values.add(at + "rate", rate).add(at + "softmax", softmax).add(at + "positions", positions);
  values.add(at + "precision", products::name(precision)).add(at + "own_values", own_values.text());
}

/// Returns `comm`. Throws the same Error on all ranks if settings or the number of dense features differ; it names
/// value and ranks. Collective.
const comm::Communicator& with_same_settings(const comm::Communicator& comm, const Settings& settings,
                                             Index dense_features) {
  if (comm.size() == 1) return comm;
  const auto& [type, embedding_dim, table_format, smaller, bottom, top, deep, interaction, itself, cross_settings,
               branch1, branch2, wide, query, item, towers, history, attention, attention_softmax, activation,
               precision, kernels, graphs, layers, tasks, loss, loss_settings, own_values] =
      static_cast<const network::Settings&>(settings);
  const auto& [qr_collisions, qr_threshold, qr_operation, md_temperature, md_threshold, md_round_dims] = smaller;
  const auto& [cross, cross_layers, cross_rank, cross_experts] = cross_settings;
  const auto& [loss_threshold, loss_weights, loss_temperature, loss_tasks, task_weights, loss_own_values] =
      loss_settings;
  comm::NamedValues values;
  const auto add_key = [&](const char* key, const auto& value) { values.add(concat("model.", key), value); };
  values.add("the number of dense features", dense_features);
  add_key("type", type);
  add_key("embedding_dim", embedding_dim);
  add_key("table_format", name(table_format));
  add_key("qr_collisions", qr_collisions);
  add_key("qr_threshold", qr_threshold);
  add_key("qr_operation", qr_operation);
  add_key("md_temperature", md_temperature);
  add_key("md_threshold", md_threshold);
  add_key("md_round_dims", md_round_dims);
  add_key("bottom", bottom);
  add_key("top", top);
  add_key("deep", deep);
  add_key("interaction", interaction);
  add_key("itself", itself);
  add_key("cross", cross);
  add_key("cross_layers", cross_layers);
  add_key("cross_rank", cross_rank);
  add_key("cross_experts", cross_experts);
  add_key("branch1", branch1);
  add_key("branch2", branch2);
  add_key("wide", wide);
  add_key("query", query);
  add_key("item", item);
  add_key("towers", towers);
  add_key("history", history);
  add_key("attention", attention);
  add_key("attention_softmax", attention_softmax);
  add_key("activation", activation);
  add_key("precision", products::name(precision));
  add_key("exchange_forward", name(settings.exchange_forward));
  add_key("exchange_backward", name(settings.exchange_backward));
  add_key("kernels", name(kernels));
  add_key("graphs", graphs);
  add_key("tasks", tasks);
  add_key("loss", loss);
  add_key("loss_threshold", loss_threshold);
  add_key("loss_weights", loss_weights);
  add_key("loss_temperature", loss_temperature);
  add_key("loss_tasks", loss_tasks);
  add_key("task_weights", task_weights);
  add_key("own_values", own_values.text());
  add_key("loss_settings.own_values", loss_own_values.text());
  values.add("the number of layers", layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) add(values, i, layers[i]);
  comm::require_same(comm, values.list(), "give all ranks of a model the same settings");
  return comm;
}

/// Returns memory shared by the node's ranks, or none if the size is 0, the rank is alone on its node, or a device
/// computes. Collective over the node.
comm::NodeMemory shared(const comm::Node& node, Index size, Place place) {
  const bool shares = size > 0 && node.ranks().size() > 1 && place == Place::host;
  return shares ? comm::NodeMemory(node.ranks(), size) : comm::NodeMemory();
}
/// Returns shared memory for packed weights, or none. Panel widths depend on the instruction set, so all ranks of the
/// node must run the same one. Collective over the node.
comm::NodeMemory shared_weights(const comm::Node& node, const network::Network& dense) {
  const bool alike = node.ranks().broadcast(products::instruction_set(), 0) == products::instruction_set();
  const bool all_alike = node.ranks().min(alike ? 1 : 0) == 1;
  return shared(node, all_alike ? dense.packed_size() : 0, place_of(dense.settings().kernels));
}

/// Returns uninitialized memory for the parameters, in `memory` if shared. An out-of-memory error names the largest
/// parameter.
PlacedVector<float> parameter_memory(const Exec& exec, const network::Network& dense, const comm::NodeMemory& memory,
                                     Place place) {
  if (memory) return Vector<float>(memory.data(), dense.parameters());
  const auto what = [&] {
    const auto size = [](const network::Parameter& p) { return p.rows * p.columns; };
    const auto largest = std::ranges::max_element(dense.layout(), {}, size);
    return concat("the layers' parameters, of which ", largest->name, " has ", largest->rows, " x ", largest->columns);
  };
  return with_memory(what, double(dense.parameters()) * sizeof(float), [&] {
    return PlacedVector<float>(exec, place, "tesserec::model::parameters", dense.parameters());
  });
}

std::vector<Range> tensors(const network::Network& dense) {
  std::vector<Range> all;
  for (const network::Parameter& p : dense.layout()) all.push_back({p.offset, p.offset + p.rows * p.columns});
  return all;
}

}  // namespace

ShardedModel::ShardedModel(const Exec& exec, const comm::Communicator& comm, const Settings& settings,
                           Index dense_features, const embedding::EmbeddingBagCollection& collection,
                           const sharding::ParallelOptions& options,
                           const sharding::EmbeddingBagCollectionSharder& sharder)
    : seed(options.seed),
      node(with_same_settings(comm, settings, dense_features), comm::ranks_per_node(comm)),
      embeddings(exec, collection, comm, options, sharder),
      dense(settings, dense_features, network::embedded_features(collection.tables())),
      packed(shared_weights(node, dense)),
      memory(shared(node, dense.parameters() + optim::DenseOptimizer::state_size(sharder.dense, dense.parameters()),
                    place_of(settings.kernels))),
      parameters(parameter_memory(exec, dense, memory, place_of(settings.kernels))),
      optimizer(exec, sharder.dense, dense.parameters(), memory ? memory.data() + dense.parameters() : nullptr,
                tensors(dense), parameters.place()) {
  if (packed) dense.share_weights({packed.data(), node.share(dense.parameters()), [this] { node.ranks().barrier(); }});
  dense.initialize(exec, options.seed, parameters);
  exec.fence();
  if (memory) node.ranks().barrier();  // all start values are written
}

void ShardedModel::move_dense(const Exec& exec, const PlacedVector<float>& gradient, double lr, Index step,
                              float scale) {
  const Index size = dense.parameters();
  optimizer.step(exec, parameters, gradient, lr, step, memory ? node.share(size) : Range{0, size}, scale);
  exec.fence();
  if (memory) node.ranks().barrier();
  embeddings.resume(step);
}

}  // namespace tesserec::model
