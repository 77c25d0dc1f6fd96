// SPDX-License-Identifier: Apache-2.0
// Structured bindings name every member of a setting, so that a new one cannot be forgotten here.
#include "same_settings.hpp"

#include <tesserec/comm/same.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::model {
namespace {

void add(comm::NamedValues& values, std::size_t i, const dense::LayerSettings& layer) {
  const auto& [name, type, inputs, widths, activations, bias, itself, layers, rank, experts, dim, rate, softmax,
               positions, precision] = layer;
  const std::string at = concat("model.layers[", i, "].");
  values.add(at + "name", name).add(at + "type", type).add(at + "inputs", inputs).add(at + "widths", widths);
  values.add(at + "activations", activations).add(at + "bias", bias).add(at + "itself", itself);
  values.add(at + "layers", layers).add(at + "rank", rank).add(at + "experts", experts).add(at + "dim", dim);
  values.add(at + "rate", rate).add(at + "softmax", softmax).add(at + "positions", positions);
  values.add(at + "precision", dense::name(precision));
}

}  // namespace

void require_same_settings(const comm::Communicator& comm, const Settings& settings, Index dense_features) {
  if (comm.size() == 1) return;
  const auto& [type, embedding_dim, smaller, bottom, top, deep, interaction, itself, cross_settings, branch1, branch2,
               wide, query, item, towers, history, attention, attention_softmax, activation, precision,
               exchange_forward, exchange_backward, kernels, graphs, layers, loss, loss_settings] = settings;
  const auto& [qr_collisions, qr_threshold, qr_operation, md_temperature, md_threshold, md_round_dims] = smaller;
  const auto& [cross, cross_layers, cross_rank, cross_experts] = cross_settings;
  const auto& [loss_threshold, loss_weights, loss_temperature] = loss_settings;
  comm::NamedValues values;
  const auto add_key = [&](const char* key, const auto& value) { values.add(concat("model.", key), value); };
  values.add("the number of dense features", dense_features);
  add_key("type", type);
  add_key("embedding_dim", embedding_dim);
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
  add_key("precision", dense::name(precision));
  add_key("exchange_forward", sharding::name(exchange_forward));
  add_key("exchange_backward", sharding::name(exchange_backward));
  add_key("kernels", name(kernels));
  add_key("graphs", graphs);
  add_key("loss", loss);
  add_key("loss_threshold", loss_threshold);
  add_key("loss_weights", loss_weights);
  add_key("loss_temperature", loss_temperature);
  values.add("the number of layers", layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) add(values, i, layers[i]);
  comm::require_same(comm, values.list(), "give all ranks of a model the same settings");
}

}  // namespace tesserec::model
