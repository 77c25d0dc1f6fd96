// SPDX-License-Identifier: Apache-2.0
#include "delta_state.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "block_runs.hpp"
#include "growing_delta.hpp"
#include "growing_state.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/train/model_state.hpp>

namespace tesserec::train {
namespace {

using Shard = sharding::ShardedEmbeddingBagCollection::Shard;
using store::StateItem;
using RowList = std::shared_ptr<const std::vector<Index>>;

constexpr Index row_words = store::row_number_words, count_words = store::block_count_words;
// Rows between two listed ones that are copied with them: a copy from or to a device costs more than their bytes, and
// a read of a file on its own waits for the disk.
constexpr Index joined_gap = 31;
constexpr Index window_rows = 1 << 16;  // most rows of one copy

/// Listed rows of one matrix of a shard.
class MovedMatrix : public store::SlabSource {
 public:
  /// Takes positions `run` of the list.
  MovedMatrix(embedding::RowStore& store, std::size_t matrix, RowList rows, Range run)
      : SlabSource(store.matrices()[matrix].columns()),
        store_(store),
        matrix_(matrix),
        rows_(std::move(rows)),
        first_(run.begin) {}

  bool rounds() const override { return held().is_short(); }
  void read(const Exec& exec, Range list, float* to) const override {
    over_windows(list, reads_alone() ? 0 : joined_gap, [&](std::span<const Index> rows, Range window) {
      const Index columns = ld(), n = std::ssize(rows);
      if (n == window.size()) {
        get(exec, window, to);
      } else {
        std::vector<float> all(window.size() * columns);
        store_.read(exec, matrix_, window, all.data());
        for (Index i = 0; i < n; ++i)
          std::copy_n(all.data() + (rows[i] - window.begin) * columns, columns, to + i * columns);
      }
      to += n * columns;
    });
  }
  void write(const Exec& exec, Range list, const float* from) override {
    over_windows(list, held().place() == Place::host ? 0 : joined_gap, [&](std::span<const Index> rows, Range window) {
      const Index columns = ld(), n = std::ssize(rows);
      if (n == window.size()) {
        store_.write(exec, matrix_, window, from);
      } else {
        std::vector<float> all(window.size() * columns);
        store_.read(exec, matrix_, window, all.data());
        for (Index i = 0; i < n; ++i)
          std::copy_n(from + i * columns, columns, all.data() + (rows[i] - window.begin) * columns);
        store_.write(exec, matrix_, window, all.data());
      }
      from += n * columns;
    });
  }

 private:
  const embedding::RowMatrix& held() const { return store_.matrices()[matrix_]; }
  bool reads_alone() const { return store_.ordered() && held().place() == Place::host; }
  void get(const Exec& exec, Range rows, float* to) const {
    if (const float* const at = store_.in_place(matrix_, rows))
      std::copy_n(at, rows.size() * ld(), to);
    else
      store_.read(exec, matrix_, rows, to);
  }
  /// Calls use(listed rows, window of rows around them) for runs of rows with at most `gap` others between them.
  template <class Use>
  void over_windows(Range list, Index gap, const Use& use) const {
    const std::span<const Index> rows = std::span(*rows_).subspan(first_ + list.begin, list.size());
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      for (end = begin + 1; end < rows.size() && rows[end] - rows[end - 1] <= gap + 1; ++end)
        if (rows[end] - rows[begin] >= window_rows) break;
      use(rows.subspan(begin, end - begin), Range{rows[begin], rows[end - 1] + 1});
    }
  }

  embedding::RowStore& store_;
  std::size_t matrix_;
  RowList rows_;
  Index first_;
};

/// Listed rows of a shard in a delta.
struct MovedShard {
  const Shard& shard;
  RowList rows;
  Range place;  ///< of the list, among all rows of the table in the delta
  Index all;    ///< rows of the table in the delta

  /// Returns the positions of the rows that this copy of the shard writes and counts.
  Range owned() const {
    const Range part = shard.replica.part(shard.rows->rows());
    const auto position = [&](Index row) { return Index(std::ranges::lower_bound(*rows, row) - rows->begin()); };
    return {position(part.begin), position(part.end)};
  }
  const std::string& table() const { return shard.rows->config().name; }
};

/// Adds this rank's parts of a shard's listed rows, weights and states.
void add_listed(const MovedShard& listed, std::vector<StateItem>& items) {
  embedding::RowStore& store = listed.shard.rows->store();
  const Range owned = listed.owned();
  for (std::size_t m = 0; m < store.matrices().size(); ++m) {
    const embedding::RowMatrix& values = store.matrices()[m];
    const Index columns = values.per_row ? 1 : listed.shard.rows->config().embedding_dim;
    const Index first_column = values.per_row ? 0 : listed.shard.rows->columns().begin;
    const bool writes = !values.per_row || has_first_columns(listed.shard);
    const auto add = [&](Range run, bool is_owned) {
      if (run.size() > 0)
        items.push_back({item_name(listed.table(), m == 0 ? "weight" : values.name),
                         listed.all,
                         columns,
                         {listed.place.begin + run.begin, run.size(), first_column, values.columns()},
                         std::make_shared<MovedMatrix>(store, m, listed.rows, run),
                         is_owned && writes});
    };
    add({0, owned.begin}, false);
    add(owned, true);
    add({owned.end, std::ssize(*listed.rows)}, false);
  }
}

/// Adds the numbers of the rows that this rank's copy of a shard owns.
void add_numbers(const MovedShard& listed, std::vector<StateItem>& items) {
  if (!has_first_columns(listed.shard)) return;
  const Range owned = listed.owned();
  auto words = std::make_shared<WordRows>(owned.size(), row_words);
  for (Index i = 0; i < owned.size(); ++i) words->put(i, 0, row_words, std::uint64_t((*listed.rows)[owned.begin + i]));
  add_words(item_name(listed.table(), "rows"), {listed.place.begin + owned.begin, listed.place.begin + owned.end},
            listed.all, std::move(words), true, items);
}

/// Returns the rows of this rank's shards in a delta with these counts, [table][block].
std::vector<MovedShard> places(const std::vector<Shard>& shards, const std::vector<std::vector<Index>>& counts) {
  std::vector<MovedShard> listed;
  for (const Shard& shard : shards)
    listed.push_back({shard,
                      {},
                      run_of(counts[shard.table], shard.rows->blocks()),
                      run_of(counts[shard.table], {0, embedding::block_count}).end});
  return listed;
}

}  // namespace

void track_moves(const Session& session) {
  for (const Shard& shard : session.model.tables().shards())
    if (shard.rows->config().grows())
      growing_store(shard).mark();
    else
      shard.rows->track_moves();
}

void clear_moves(const Session& session) {
  for (const Shard& shard : session.model.tables().shards())
    if (embedding::MovedRows* const moved = shard.rows->moved())
      moved->clear();
    else if (shard.rows->config().grows() && session.job.checkpoint.delta_seconds > 0)
      growing_store(shard).mark();
}

std::vector<StateItem> delta_items(const Session& session) {
  const auto& tables = session.model.tables();
  const std::vector<tiers::GrowthChange> changes = growth_changes(tables);
  const std::vector<ChangedBlocks> changed = changed_blocks(session.comm, tables, changes);
  std::vector<RowList> lists;
  std::vector<Index> counts(tables.tables().size() * embedding::block_count);
  for (std::size_t s = 0; s < tables.shards().size(); ++s) {
    const Shard& shard = tables.shards()[s];
    const bool grows = shard.rows->config().grows();
    lists.push_back(
        std::make_shared<const std::vector<Index>>(grows ? changes[s].places : shard.rows->moved()->list()));
    if (grows || !has_first_columns(shard) || shard.replica.index != 0) continue;
    for (const Index row : *lists.back()) ++counts[shard.table * embedding::block_count + shard.rows->block_of()(row)];
  }
  session.comm.sum(std::span<Index>(counts));

  std::vector<StateItem> items;
  std::vector<std::vector<Index>> by_block;
  for (std::size_t t = 0; t < tables.tables().size(); ++t) {
    const auto begin = counts.begin() + t * embedding::block_count;
    const bool grows = tables.tables()[t].grows();
    by_block.push_back(grows ? changed[t].rows : std::vector<Index>(begin, begin + embedding::block_count));
    if (grows) continue;
    auto words = std::make_shared<WordRows>(embedding::block_count, count_words);
    for (Index b = 0; b < embedding::block_count; ++b) words->put(b, 0, count_words, std::uint64_t(begin[b]));
    add_words(item_name(tables.tables()[t].name, "blocks"), {0, embedding::block_count}, embedding::block_count,
              std::move(words), session.comm.rank() == 0, items);
  }
  std::vector<MovedShard> listed = places(tables.shards(), by_block);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    listed[i].rows = std::move(lists[i]);
    if (listed[i].shard.rows->config().grows())
      add_changes(listed[i].shard, changes[i], changed[listed[i].shard.table], items);
    else
      add_numbers(listed[i], items);
    add_listed(listed[i], items);
  }
  std::ranges::move(dense_items(session.comm, session.model), std::back_inserter(items));
  return items;
}

void read_delta(Session& session, const store::OpenCheckpoint& delta) {
  const auto& tables = session.model.tables();
  const auto read = [&](const std::vector<StateItem>& items) {
    parallel_io::read_state(session.exec, session.comm, delta.state, items);
  };
  std::vector<ChangedBlocks> changed;
  const std::vector<tiers::GrowthChange> changes = read_changes(session, delta, changed);
  std::vector<StateItem> items;
  std::vector<std::shared_ptr<WordRows>> words;
  for (const embedding::EmbeddingBagConfig& table : tables.tables()) {
    words.push_back(std::make_shared<WordRows>(embedding::block_count, count_words));
    if (table.grows()) continue;
    add_words(item_name(table.name, "blocks"), {0, embedding::block_count}, embedding::block_count, words.back(),
              session.comm.rank() == 0, items);
  }
  read(items);
  std::vector<std::vector<Index>> counts(words.size());
  for (std::size_t t = 0; t < words.size(); ++t)
    for (Index b = 0; b < embedding::block_count; ++b)
      counts[t].push_back(tables.tables()[t].grows() ? changed[t].rows[b] : Index(words[t]->get(b, 0, count_words)));

  std::vector<MovedShard> listed = places(tables.shards(), counts);
  items.clear();
  words.clear();
  for (const MovedShard& shard : listed) {
    words.push_back(std::make_shared<WordRows>(shard.place.size(), row_words));
    if (shard.shard.rows->config().grows()) continue;
    add_words(item_name(shard.table(), "rows"), shard.place, shard.all, words.back(),
              has_first_columns(shard.shard) && shard.shard.replica.index == 0, items);
  }
  read(items);

  items.clear();
  comm::agree(session.comm, [&] {
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (listed[i].shard.rows->config().grows()) {
        listed[i].rows = std::make_shared<const std::vector<Index>>(changes[i].places);
        continue;
      }
      std::vector<Index> rows;
      for (Index row = 0; row < words[i]->rows(); ++row) rows.push_back(Index(words[i]->get(row, 0, row_words)));
      const Range own = listed[i].shard.rows->rows();
      for (const Index row : rows)
        if (!own.contains(row))
          fail(delta.state.path(), ": table ", listed[i].table(), " has row ", row,
               " in the block of other rows, so the delta is of another table; remove its folder");
      listed[i].rows = std::make_shared<const std::vector<Index>>(std::move(rows));
    }
  });
  for (const MovedShard& shard : listed) add_listed(shard, items);
  std::ranges::move(dense_items(session.comm, session.model), std::back_inserter(items));
  read(items);
}

}  // namespace tesserec::train
