// SPDX-License-Identifier: Apache-2.0
#include "growing_delta.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "growing_state.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/state.hpp>

namespace tesserec::train {
namespace {

using Shard = sharding::ShardedEmbeddingBagCollection::Shard;
using store::StateItem;
using tiers::GrowthChange;
using tiers::IdUse;

/// List of changes by block: its counts, and the matrices that hold its ids and their uses.
struct ChangeList {
  std::vector<Index> ChangedBlocks::*counts;
  std::size_t list;  // of store::change_ids
  const char* uses;  // null: ids alone
  std::vector<IdUse> GrowthChange::*used;
  std::vector<Index> GrowthChange::*left;  // if `uses` is null
};

constexpr ChangeList change_lists[] = {
    {&ChangedBlocks::rows, store::used_list, "uses", &GrowthChange::rows, nullptr},
    {&ChangedBlocks::evicted, store::evicted_list, nullptr, nullptr, &GrowthChange::evicted},
    {&ChangedBlocks::waiting, store::waiting_list, "waiting_uses", &GrowthChange::waiting, nullptr},
    {&ChangedBlocks::not_waiting, store::not_waiting_list, nullptr, nullptr, &GrowthChange::not_waiting},
};

constexpr Index batch_word = store::change_word(store::change_ids.size());

void resize_blocks(ChangedBlocks& blocks) {
  for (const ChangeList& list : change_lists) (blocks.*list.counts).assign(embedding::block_count, 0);
  blocks.batches.assign(embedding::block_count, 0);
}

std::vector<Index> listed_ids(const GrowthChange& change, const ChangeList& list) {
  if (list.uses == nullptr) return change.*list.left;
  std::vector<Index> ids;
  for (const IdUse& use : change.*list.used) ids.push_back(use.id);
  return ids;
}

/// Matrices of a list while they are read.
struct ReadList {
  std::shared_ptr<WordRows> ids, uses;
};

/// Adds the matrices of a shard's list. `words`: numbers to write, or where to read them.
void add_list(const Shard& shard, const ChangeList& list, const ChangedBlocks& blocks, const ReadList& words,
              std::vector<StateItem>& items) {
  const std::string& name = shard.rows->config().name;
  const std::vector<Index>& counts = blocks.*list.counts;
  const Range own = run_of(counts, shard.rows->blocks());
  const Index all = run_of(counts, {0, embedding::block_count}).end;
  const bool owned = has_first_columns(shard);
  add_words(item_name(name, store::change_ids[list.list]), own, all, words.ids, owned, items);
  if (list.uses != nullptr) add_words(item_name(name, list.uses), own, all, words.uses, owned, items);
}

void read_changed_blocks(Session& session, const store::OpenCheckpoint& delta, std::vector<ChangedBlocks>& blocks) {
  const auto& tables = session.model.tables().tables();
  blocks.assign(tables.size(), {});
  std::vector<std::shared_ptr<WordRows>> words(tables.size());
  std::vector<StateItem> items;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (!tables[t].grows()) continue;
    words[t] = std::make_shared<WordRows>(embedding::block_count, store::change_count_words);
    add_words(item_name(tables[t].name, "blocks"), {0, embedding::block_count}, embedding::block_count, words[t],
              session.comm.rank() == 0, items);
  }
  parallel_io::read_state(session.exec, session.comm, delta.state, items);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (words[t] == nullptr) continue;
    resize_blocks(blocks[t]);
    for (Index b = 0; b < embedding::block_count; ++b) {
      for (const ChangeList& list : change_lists)
        (blocks[t].*list.counts)[b] = Index(words[t]->get(b, store::change_word(list.list), store::block_count_words));
      blocks[t].batches[b] = Index(words[t]->get(b, batch_word, store::row_number_words));
    }
  }
}

/// Returns the changes that were read, without places.
GrowthChange change_of(const Shard& shard, const ChangedBlocks& blocks, const std::vector<ReadList>& read) {
  GrowthChange change{.batch = blocks.batches[shard.rows->blocks().begin]};
  for (std::size_t l = 0; l < read.size(); ++l) {
    const ChangeList& list = change_lists[l];
    if (list.uses != nullptr)
      change.*list.used = uses_from(*read[l].ids, read[l].uses.get());
    else
      for (const IdUse& use : uses_from(*read[l].ids, nullptr)) (change.*list.left).push_back(use.id);
  }
  return change;
}

}  // namespace

std::vector<GrowthChange> growth_changes(const sharding::ShardedEmbeddingBagCollection& tables) {
  std::vector<GrowthChange> changes;
  for (const Shard& shard : tables.shards())
    changes.push_back(shard.rows->config().grows() ? growing_store(shard).changes() : GrowthChange());
  return changes;
}

std::vector<ChangedBlocks> changed_blocks(const comm::Communicator& comm,
                                          const sharding::ShardedEmbeddingBagCollection& tables,
                                          const std::vector<GrowthChange>& changes) {
  std::vector<ChangedBlocks> all(tables.tables().size());
  for (std::size_t t = 0; t < all.size(); ++t)
    if (tables.tables()[t].grows()) resize_blocks(all[t]);
  const embedding::BlockOf block_of = embedding::BlockOf::by_hash();
  for (std::size_t s = 0; s < changes.size(); ++s) {
    const Shard& shard = tables.shards()[s];
    if (!shard.rows->config().grows() || !has_first_columns(shard)) continue;
    const Range own = shard.rows->blocks();
    std::fill_n(all[shard.table].batches.begin() + own.begin, own.size(), changes[s].batch);
    for (const ChangeList& list : change_lists)
      for (const Index id : listed_ids(changes[s], list)) ++(all[shard.table].*list.counts)[block_of(id)];
  }
  std::vector<std::vector<Index>*> counts;
  for (ChangedBlocks& blocks : all) {
    if (blocks.batches.empty()) continue;
    for (const ChangeList& list : change_lists) counts.push_back(&(blocks.*list.counts));
    counts.push_back(&blocks.batches);
  }
  if (counts.empty()) return all;
  std::vector<Index> sums;
  for (const std::vector<Index>* const some : counts) sums.insert(sums.end(), some->begin(), some->end());
  comm.sum(std::span<Index>(sums));  // one for all tables, because training waits
  for (std::size_t i = 0; i < counts.size(); ++i)
    std::copy_n(sums.begin() + std::ptrdiff_t(i) * embedding::block_count, embedding::block_count, counts[i]->begin());
  return all;
}

void add_changes(const Shard& shard, const GrowthChange& change, const ChangedBlocks& blocks,
                 std::vector<StateItem>& items) {
  if (!has_first_columns(shard)) return;
  for (const ChangeList& list : change_lists) {
    ReadList words{id_words_of(listed_ids(change, list)), nullptr};
    if (list.uses != nullptr) words.uses = use_words_of(change.*list.used);
    add_list(shard, list, blocks, words, items);
  }
  const Range own = shard.rows->blocks();
  auto counts = std::make_shared<WordRows>(own.size(), store::change_count_words);
  for (Index b = 0; b < own.size(); ++b) {
    for (const ChangeList& list : change_lists)
      counts->put(b, store::change_word(list.list), store::block_count_words,
                  std::uint64_t((blocks.*list.counts)[own.begin + b]));
    counts->put(b, batch_word, store::row_number_words, std::uint64_t(blocks.batches[own.begin + b]));
  }
  add_words(item_name(shard.rows->config().name, "blocks"), own, embedding::block_count, std::move(counts), true,
            items);
}

std::vector<GrowthChange> read_changes(Session& session, const store::OpenCheckpoint& delta,
                                       std::vector<ChangedBlocks>& blocks) {
  const auto& shards = session.model.tables().shards();
  read_changed_blocks(session, delta, blocks);
  std::vector<std::vector<ReadList>> read(shards.size());
  std::vector<StateItem> items;
  for (std::size_t s = 0; s < shards.size(); ++s) {
    const ChangedBlocks& table = blocks[shards[s].table];
    if (table.batches.empty()) continue;
    for (const ChangeList& list : change_lists) {
      const Index own = run_of(table.*list.counts, shards[s].rows->blocks()).size();
      ReadList& words = read[s].emplace_back();
      words.ids = std::make_shared<WordRows>(own, store::row_number_words);
      words.uses = std::make_shared<WordRows>(own, use_words);
      add_list(shards[s], list, table, words, items);
    }
  }
  parallel_io::read_state(session.exec, session.comm, delta.state, items);
  std::vector<GrowthChange> changes(shards.size());
  comm::agree(session.comm, [&] {
    for (std::size_t s = 0; s < shards.size(); ++s) {
      if (read[s].empty()) continue;
      changes[s] = change_of(shards[s], blocks[shards[s].table], read[s]);
      try {
        changes[s].places = growing_store(shards[s]).apply(changes[s]);
      } catch (const Error& error) {
        fail(delta.state.path(), ": ", error.what());
      }
    }
  });
  return changes;
}

}  // namespace tesserec::train
