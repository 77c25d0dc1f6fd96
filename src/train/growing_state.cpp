// SPDX-License-Identifier: Apache-2.0
#include "growing_state.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include <tesserec/comm/agree.hpp>
#include <tesserec/parallel_io/state.hpp>

namespace tesserec::train {
namespace {

using Shard = sharding::ShardedEmbeddingBagCollection::Shard;
using store::StateItem;
using tiers::GrowthState;
using tiers::IdUse;

constexpr Index id_words = store::row_number_words, block_words = 8;

std::vector<Index> ids_of(const std::vector<IdUse>& uses) {
  std::vector<Index> ids;
  for (const IdUse& use : uses) ids.push_back(use.id);
  return ids;
}

/// Words of a shard that a checkpoint holds.
struct ReadGrowth {
  std::shared_ptr<WordRows> ids, uses, waiting_ids, waiting_uses;
};

/// Reads the contents by block of the tables that the file holds. Collective.
std::vector<GrownBlocks> read_blocks(const Exec& exec, const comm::Communicator& comm,
                                     const sharding::ShardedEmbeddingBagCollection& tables,
                                     const store::PartedFile& file, const store::StateRecords& datasets) {
  std::vector<GrownBlocks> all(tables.tables().size());
  std::vector<std::shared_ptr<WordRows>> words(all.size());
  std::vector<StateItem> items;
  for (std::size_t t = 0; t < all.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = tables.tables()[t];
    if (!table.grows() || !holds_growth(datasets, table.name)) continue;
    words[t] = std::make_shared<WordRows>(embedding::block_count, block_words);
    add_words(item_name(table.name, "blocks"), {0, embedding::block_count}, embedding::block_count, words[t],
              comm.rank() == 0, items);
  }
  parallel_io::read_state(exec, comm, file, items);
  for (std::size_t t = 0; t < all.size(); ++t)
    for (Index b = 0; words[t] != nullptr && b < embedding::block_count; ++b) {
      all[t].rows.push_back(Index(words[t]->get(b, 0, 2)));
      all[t].waiting.push_back(Index(words[t]->get(b, 2, 2)));
      all[t].batches.push_back(Index(words[t]->get(b, 4, 4)));
    }
  return all;
}

}  // namespace

std::shared_ptr<WordRows> id_words_of(const std::vector<Index>& ids) {
  auto rows = std::make_shared<WordRows>(std::ssize(ids), id_words);
  for (std::size_t i = 0; i < ids.size(); ++i) rows->put(Index(i), 0, id_words, std::uint64_t(ids[i]));
  return rows;
}

std::shared_ptr<WordRows> use_words_of(const std::vector<IdUse>& uses) {
  auto rows = std::make_shared<WordRows>(std::ssize(uses), use_words);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    rows->put(Index(i), 0, 2, std::uint64_t(uses[i].last));
    rows->put(Index(i), 2, 2, std::uint64_t(uses[i].batches));
  }
  return rows;
}

std::vector<IdUse> uses_from(const WordRows& ids, const WordRows* uses) {
  std::vector<IdUse> all;
  for (Index i = 0; i < ids.rows(); ++i) {
    IdUse& use = all.emplace_back(IdUse{Index(ids.get(i, 0, id_words)), 0, 1});
    if (uses == nullptr) continue;
    use.last = Index(uses->get(i, 0, 2));
    use.batches = Index(uses->get(i, 2, 2));
  }
  return all;
}

tiers::GrowingRows& growing_store(const Shard& shard) { return dynamic_cast<tiers::GrowingRows&>(shard.rows->store()); }

bool holds_growth(const store::StateRecords& datasets, const std::string& table) {
  return datasets.count(item_name(table, "blocks")) != 0;
}

std::vector<GrownBlocks> grown_blocks(const comm::Communicator& comm,
                                      const sharding::ShardedEmbeddingBagCollection& tables) {
  std::vector<GrownBlocks> all(tables.tables().size());
  for (std::size_t t = 0; t < all.size(); ++t)
    if (tables.tables()[t].grows())
      for (std::vector<Index>* counts : {&all[t].rows, &all[t].waiting, &all[t].batches})
        counts->resize(embedding::block_count);
  for (const Shard& shard : tables.shards()) {
    if (!all[shard.table].grows() || !has_first_columns(shard)) continue;
    const tiers::GrowingRows& store = growing_store(shard);
    const std::vector<Index> rows = store.growth().blocks;
    const GrowthState state = store.state();
    const Range blocks = shard.rows->blocks();
    std::copy(rows.begin(), rows.end(), all[shard.table].rows.begin() + blocks.begin);
    std::fill_n(all[shard.table].batches.begin() + blocks.begin, blocks.size(), state.batch);
    const embedding::BlockOf block_of = embedding::BlockOf::by_hash();
    for (const IdUse& use : state.waiting) ++all[shard.table].waiting[block_of(use.id)];
  }
  for (GrownBlocks& table : all)
    for (std::vector<Index>* counts : {&table.rows, &table.waiting, &table.batches})
      if (table.grows()) comm.sum(std::span<Index>(*counts));
  return all;
}

void add_ids(const Shard& shard, const GrownBlocks& blocks, std::vector<StateItem>& items) {
  if (!has_first_columns(shard)) return;
  const Index all = blocks.rows_of({0, embedding::block_count}).end;
  add_words(item_name(shard.rows->config().name, "ids"), blocks.rows_of(shard.rows->blocks()), all,
            id_words_of(ids_of(growing_store(shard).state().rows)), true, items);
}

void add_growth(const Shard& shard, const GrownBlocks& blocks, std::vector<StateItem>& items) {
  if (!has_first_columns(shard)) return;
  const std::string& name = shard.rows->config().name;
  const Range own = shard.rows->blocks(), whole{0, embedding::block_count};
  const GrowthState state = growing_store(shard).state();
  add_words(item_name(name, "uses"), blocks.rows_of(own), blocks.rows_of(whole).end, use_words_of(state.rows), true,
            items);
  const Range waiting = blocks.waiting_of(own);
  const Index all_waiting = blocks.waiting_of(whole).end;
  add_words(item_name(name, "waiting_ids"), waiting, all_waiting, id_words_of(ids_of(state.waiting)), true, items);
  add_words(item_name(name, "waiting_uses"), waiting, all_waiting, use_words_of(state.waiting), true, items);
  auto words = std::make_shared<WordRows>(own.size(), block_words);
  for (Index b = 0; b < own.size(); ++b) {
    words->put(b, 0, 2, std::uint64_t(blocks.rows[own.begin + b]));
    words->put(b, 2, 2, std::uint64_t(blocks.waiting[own.begin + b]));
    words->put(b, 4, 4, std::uint64_t(blocks.batches[own.begin + b]));
  }
  add_words(item_name(name, "blocks"), own, embedding::block_count, std::move(words), true, items);
}

void restore_growth(const Exec& exec, const comm::Communicator& comm,
                    const sharding::ShardedEmbeddingBagCollection& tables, const store::PartedFile& file,
                    const store::StateRecords& datasets, bool trained) {
  if (std::ranges::none_of(tables.tables(), &embedding::EmbeddingBagConfig::grows)) return;
  const std::vector<GrownBlocks> blocks = read_blocks(exec, comm, tables, file, datasets);
  std::vector<StateItem> items;
  std::vector<ReadGrowth> read;
  for (const Shard& shard : tables.shards()) {
    ReadGrowth& growth = read.emplace_back();
    const GrownBlocks& table = blocks[shard.table];
    if (!table.grows()) continue;
    const bool owned = has_first_columns(shard);
    const auto add = [&](const char* matrix, bool waiting, Index words, std::shared_ptr<WordRows>& to) {
      const auto run = [&](Range of) { return waiting ? table.waiting_of(of) : table.rows_of(of); };
      const Range own = run(shard.rows->blocks());
      to = std::make_shared<WordRows>(own.size(), words);
      add_words(item_name(shard.rows->config().name, matrix), own, run({0, embedding::block_count}).end, to, owned,
                items);
    };
    add("ids", false, id_words, growth.ids);
    if (!trained) continue;
    add("uses", false, use_words, growth.uses);
    add("waiting_ids", true, id_words, growth.waiting_ids);
    add("waiting_uses", true, use_words, growth.waiting_uses);
  }
  parallel_io::read_state(exec, comm, file, items);
  comm::agree(comm, [&] {
    for (std::size_t i = 0; i < read.size(); ++i) {
      const Shard& shard = tables.shards()[i];
      if (read[i].ids == nullptr) continue;
      GrowthState state;
      state.rows = uses_from(*read[i].ids, read[i].uses.get());
      if (trained) {
        state.waiting = uses_from(*read[i].waiting_ids, read[i].waiting_uses.get());
        state.batch = blocks[shard.table].batches[shard.rows->blocks().begin];
      }
      growing_store(shard).restore(state);
    }
  });
}

}  // namespace tesserec::train
