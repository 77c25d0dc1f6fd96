// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_parts.hpp"
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/train/model_state.hpp>
#include <tesserec/train/table_state.hpp>
#include <tesserec/train/trained_data.hpp>

namespace tesserec::train {
namespace {

using store::StateItem;

void add_dense(const comm::Communicator& comm, const model::ShardedModel& model, const std::string& state,
               const PlacedVector<float>& values, std::vector<StateItem>& items) {
  for (const network::Parameter& p : model.dense.layout())
    items.push_back({"dense/" + p.name + "/" + state,
                     p.rows,
                     p.columns,
                     {0, p.rows},
                     store::placed_rows(values.data() + p.offset, p.columns, values.place()),
                     comm.rank() == 0});
}

void add_dense_states(const comm::Communicator& comm, const model::ShardedModel& model, std::vector<StateItem>& items) {
  for (const auto& state : model.optimizer.state()) add_dense(comm, model, state.name, state.values, items);
}

std::vector<StateItem> whole_state(const model::ShardedModel& model) {
  const comm::Communicator& comm = model.embeddings.env();
  std::vector<StateItem> items = model_weights(comm, model);
  const std::vector<StateItem> states = model_states(comm, model);
  items.insert(items.end(), states.begin(), states.end());
  return items;
}

}  // namespace

std::vector<StateItem> model_weights(const comm::Communicator& comm, const model::ShardedModel& model) {
  std::vector<StateItem> items = table_weights(comm, model.tables());
  add_dense(comm, model, "value", model.parameters, items);
  return items;
}

std::vector<StateItem> model_states(const comm::Communicator& comm, const model::ShardedModel& model) {
  std::vector<StateItem> items = table_states(comm, model.tables());
  add_dense_states(comm, model, items);
  return items;
}

std::vector<StateItem> dense_items(const comm::Communicator& comm, const model::ShardedModel& model) {
  std::vector<StateItem> items;
  add_dense(comm, model, "value", model.parameters, items);
  add_dense_states(comm, model, items);
  return items;
}

std::string save(const Exec& exec, const model::ShardedModel& model, const data::SourceInfo& data,
                 const std::string& path, Index keep) {
  store::Attributes facts;
  add_data_facts(data, facts);
  return save_state(exec, model.embeddings, path, keep, whole_state(model), std::move(facts));
}

bool load(const Exec& exec, model::ShardedModel& model, const data::SourceInfo& data, const std::string& path) {
  return load_state(
      exec, model.embeddings, path, [&] { return whole_state(model); },
      [&](const store::Attributes& attributes, const std::string& file) {
        require_same_columns(data, trained_data(attributes, file, {}, data));
      });
}

std::string digest(const Exec& exec, const model::ShardedModel& model) {
  return store::combined_digest(parallel_io::state_checksums(exec, model.embeddings.env(), whole_state(model)));
}

}  // namespace tesserec::train
