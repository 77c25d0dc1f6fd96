// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_parts.hpp"
#include "growing_state.hpp"
#include <tesserec/comm/same.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/train/table_state.hpp>

namespace tesserec::train {
namespace {

using store::StateItem;

constexpr const char* same_call = "save and load in one folder on all ranks";

/// Rows of one matrix of a shard, from the table's row `first` on.
class StoredRows : public store::SlabSource {
 public:
  StoredRows(embedding::RowStore& store, std::size_t matrix, Index first)
      : SlabSource(store.matrices()[matrix].columns()), store_(store), matrix_(matrix), first_(first) {}

  float* in_place(Range rows) const override { return store_.in_place(matrix_, of_table(rows)); }
  bool rounds() const override { return store_.matrices()[matrix_].is_short(); }
  void read(const Exec& exec, Range rows, float* to) const override { store_.read(exec, matrix_, of_table(rows), to); }
  void write(const Exec& exec, Range rows, const float* from) override {
    store_.write(exec, matrix_, of_table(rows), from);
  }

 private:
  Range of_table(Range rows) const { return {first_ + rows.begin, first_ + rows.end}; }

  embedding::RowStore& store_;
  std::size_t matrix_;
  Index first_;
};

/// Adds this rank's rows of a growing shard's matrix to `items`, among those of all shards.
void add_grown(const sharding::ShardedEmbeddingBagCollection::Shard& shard, const GrownBlocks& blocks,
               std::size_t matrix, std::vector<StateItem>& items) {
  const embedding::RowMatrix& values = shard.rows->store().matrices()[matrix];
  const Range own = blocks.rows_of(shard.rows->blocks()), columns = shard.rows->columns();
  if (own.size() == 0) return;
  items.push_back({"tables/" + shard.rows->config().name + "/" + (matrix == 0 ? "weight" : values.name),
                   blocks.rows_of({0, embedding::block_count}).end,
                   values.per_row ? 1 : shard.rows->config().embedding_dim,
                   {own.begin, own.size(), values.per_row ? 0 : columns.begin, values.columns()},
                   std::make_shared<StoredRows>(shard.rows->store(), matrix, 0),
                   !values.per_row || columns.begin == 0});
}

/// Adds this rank's parts of a shard's matrix to `items`. Each of a shard's copies owns an equal run of its rows.
void add_parts(const sharding::ShardedEmbeddingBagCollection::Shard& shard, std::size_t matrix, const std::string& name,
               std::vector<StateItem>& items) {
  const Range rows = shard.rows->rows();
  const embedding::EmbeddingBagConfig& config = shard.rows->config();
  const embedding::RowMatrix& values = shard.rows->store().matrices()[matrix];
  // Every owner of columns of a row keeps a copy of its per-row state; the owner of the first columns writes it.
  const Index columns = values.per_row ? 1 : config.embedding_dim;
  const Index first_column = values.per_row ? 0 : shard.rows->columns().begin;
  const bool writes = !values.per_row || shard.rows->columns().begin == 0;
  const Range owned = shard.replica.part(rows);
  const auto add = [&](Range range, bool is_owned) {
    if (range.size() > 0)
      items.push_back({"tables/" + config.name + "/" + name,
                       config.rows().size(),
                       columns,
                       {range.begin, range.size(), first_column, values.columns()},
                       std::make_shared<StoredRows>(shard.rows->store(), matrix, range.begin),
                       is_owned && writes});
  };
  add({rows.begin, owned.begin}, false);
  add(owned, true);
  add({owned.end, rows.end}, false);
}

std::vector<StateItem> all_state(const sharding::DistributedModelParallel& model, std::vector<StateItem> items) {
  for (const auto& more : {table_weights(model.env(), model.tables()), table_states(model.env(), model.tables())})
    items.insert(items.end(), more.begin(), more.end());
  return items;
}

}  // namespace

std::vector<StateItem> table_weights(const comm::Communicator& comm,
                                     const sharding::ShardedEmbeddingBagCollection& tables) {
  const std::vector<GrownBlocks> blocks = grown_blocks(comm, tables);
  std::vector<StateItem> items;
  for (const auto& shard : tables.shards()) {
    if (!blocks[shard.table].grows()) {
      add_parts(shard, 0, "weight", items);
      continue;
    }
    add_grown(shard, blocks[shard.table], 0, items);
    add_ids(shard, blocks[shard.table], items);
  }
  return items;
}

std::vector<StateItem> table_states(const comm::Communicator& comm,
                                    const sharding::ShardedEmbeddingBagCollection& tables) {
  const std::vector<GrownBlocks> blocks = grown_blocks(comm, tables);
  std::vector<StateItem> items;
  for (const auto& shard : tables.shards()) {
    const GrownBlocks& table = blocks[shard.table];
    for (std::size_t m = 1; m < shard.rows->store().matrices().size(); ++m)
      if (table.grows())
        add_grown(shard, table, m, items);
      else
        add_parts(shard, m, shard.rows->store().matrices()[m].name, items);
    if (table.grows()) add_growth(shard, table, items);
  }
  return items;
}

std::string save_state(const Exec& exec, const sharding::DistributedModelParallel& model, const std::string& path,
                       Index keep, const std::vector<StateItem>& items, store::Attributes facts) {
  comm::require_same(model.env(), comm::NamedValues().add("path", path).add("keep", keep).list(), same_call);
  const parallel_io::CheckpointFolder folder(model.env(), path);
  folder.prepare();
  facts["step"] = model.steps();
  facts["lanes"] = Index{model.step_lanes().count()};
  const store::Checkpoint whole = folder.write(model.steps(), [&](const std::string& file) {
    return parallel_io::write_state(exec, model.env(), file, items, facts);
  });
  folder.prune(whole, {.checkpoints = keep});
  return whole.folder;
}

bool load_state(const Exec& exec, sharding::DistributedModelParallel& model, const std::string& path,
                const std::function<std::vector<StateItem>()>& items,
                const std::function<void(const store::Attributes&, const std::string& file)>& check) {
  comm::require_same(model.env(), comm::NamedValues().add("path", path).list(), same_call);
  const auto whole = parallel_io::CheckpointFolder(model.env(), path).list();
  if (whole.empty()) return false;
  const store::OpenCheckpoint checkpoint = parallel_io::open_checkpoint(model.env(), whole.front().folder);
  const store::Attributes attributes = store::read_attributes(checkpoint.state);
  const std::string& file = checkpoint.state.path();
  if (const Index lanes = store::attribute<std::int64_t>(attributes, "lanes", file);
      lanes != model.step_lanes().count())
    fail(file, " was made with ", counted(lanes, "lane"), ", but this model has ", model.step_lanes().count(),
         "; set ParallelOptions::lanes = ", lanes);
  if (check) check(attributes, file);
  restore_growth(exec, model.env(), model.tables(), checkpoint.state, checkpoint.manifest.datasets, true);
  parallel_io::read_state(exec, model.env(), checkpoint.state, items(), store::Extent::all);
  model.resume(store::attribute<std::int64_t>(attributes, "step", file));
  return true;
}

std::string save(const Exec& exec, const sharding::DistributedModelParallel& model, const std::string& path, Index keep,
                 const std::vector<StateItem>& more) {
  return save_state(exec, model, path, keep, all_state(model, more), {});
}

bool load(const Exec& exec, sharding::DistributedModelParallel& model, const std::string& path,
          const std::vector<StateItem>& more) {
  return load_state(exec, model, path, [&] { return all_state(model, more); }, {});
}

std::string digest(const Exec& exec, const sharding::DistributedModelParallel& model,
                   const std::vector<StateItem>& more) {
  return store::combined_digest(parallel_io::state_checksums(exec, model.env(), all_state(model, more)));
}

}  // namespace tesserec::train
