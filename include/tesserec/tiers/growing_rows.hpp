// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/embedding/row_store.hpp>

namespace tesserec::tiers {

using embedding::Eviction;
using embedding::UnknownRow;

/// Settings of tables whose rows appear while training.
struct GrowthSettings {
  /// Training batches in which an id must occur before it gets a row. Occurrences inside a batch count once, because
  /// exchange forms differ in the duplicates that they remove.
  Index admit_after = 1;
  Eviction eviction = Eviction::lru;
  Index ttl = 0;  ///< batches without its id after which a row leaves, for Eviction::ttl
  UnknownRow unknown = UnknownRow::zeros;
  double waiting = 1.0;         ///< ids without a row that are counted, per row of the capacity, if admit_after > 1
  Index kept_batches = 2;       ///< latest batches whose rows never leave; 2 = the one that computes, and one ahead
  Index unknown_slots = 65536;  ///< ids without a row that a shard's batches in flight may have, for UnknownRow::start
};

/// Use of an id in a growing table.
struct IdUse {
  Index id = 0;
  Index last = 0;     ///< number of the last batch that had the id
  Index batches = 0;  ///< batches that had it since it was counted first

  bool operator==(const IdUse&) const = default;
};

/// All that decisions of a growing shard depend on. Lists are ordered by block, then id.
struct GrowthState {
  Index batch = 0;                  ///< training batches so far
  std::vector<IdUse> rows = {};     ///< ids with a row
  std::vector<IdUse> waiting = {};  ///< ids that are counted
};

/// Changes of a growing shard since GrowingRows::mark(). Lists are ordered by block, then id.
struct GrowthChange {
  Index batch = 0;                      ///< training batches so far
  std::vector<IdUse> rows = {};         ///< ids with a row that a batch has used since, admitted ones among them
  std::vector<Index> places = {};       ///< places of these rows in the order of read(), which apply() returns
  std::vector<Index> evicted = {};      ///< ids that had a row, and have none now
  std::vector<IdUse> waiting = {};      ///< ids that are counted, and that a batch has used since
  std::vector<Index> not_waiting = {};  ///< ids that were counted, and are not now
};

/// Growth of a shard. `admitted`, `refused` and `evicted` count since the store was made or initialized.
struct Growth {
  Index capacity = 0;              ///< rows that the shard can hold
  Index occupied = 0;              ///< rows that it holds
  Index waiting = 0;               ///< ids that are counted
  Index admitted = 0;              ///< ids that got a row
  Index refused = 0;               ///< ids that were due to get a row and found none, counted in each batch
  Index evicted = 0;               ///< rows that left
  std::vector<Index> blocks = {};  ///< [block of the shard] rows that it holds
};

/// Rows of a shard whose ids are any 64-bit numbers. pin() and pin_to_train() take ids. read() and write() take ranges
/// of the rows that the shard holds, ordered by block, then id.
class GrowingRows : public embedding::RowStore {
 public:
  using RowStore::RowStore;

  virtual Growth growth() const = 0;
  /// Returns the ids with their uses. Its rows are in the order of read().
  virtual GrowthState state() const = 0;
  /// Replaces all ids by those of `state`. write() must give the rows their numbers. The capacity may be another than
  /// the one with which the state was made. Throws Error, naming the table, if a block has too few rows for its ids, or
  /// if an id is not of the shard's blocks or not in order.
  virtual void restore(const GrowthState& state) = 0;

  /// Remembers the ids for changes() [8 bytes each].
  virtual void mark() = 0;
  /// Returns what has changed since mark(), which must have been called.
  virtual GrowthChange changes() const = 0;
  /// Makes changes to the state at which another table was marked. Returns the places of change.rows, to which write()
  /// must then give their numbers. Throws Error, naming the table, as restore() does, and if an evicted id has no row.
  virtual std::vector<Index> apply(const GrowthChange& change) = 0;
};

/// Returns the maker of stores of tables with BlockBy::hash (GrowingRows). A table holds up to its rows().
/// Each block owns an even share of them, and decides alone which ids get a row. Decisions depend only on the sets of
/// ids of the training batches and on their order. They depend neither on shards, nor on the order of ids in a batch,
/// nor on the time of pins. A table needs many rows per block: blocks of a table of fewer than 1024 rows may have none.
/// The maker throws Error, naming the table, for other tables, or for tables in a device's memory.
embedding::MakeRowStore growing_rows(const GrowthSettings& settings);

}  // namespace tesserec::tiers
