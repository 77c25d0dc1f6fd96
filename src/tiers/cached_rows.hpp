// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "start_row.hpp"
#include "victims.hpp"
#include "whereabouts.hpp"
#include <tesserec/tiers/cache_slots.hpp>

namespace tesserec::tiers {

/// Store with fewer slots than rows: where each row is, and which one leaves its slot for another. A derived class has
/// the backing store, which holds records of the rows that have moved. A row that no batch has touched lies nowhere: it
/// has its start values.
class CachedRows : public embedding::RowStore {
 public:
  std::vector<Index> pin(const Exec& exec, std::span<const Index> rows) final;
  void release(std::span<const Index> slots, bool moved) final;
  Index row_at(Index slot) const final { return held_[slot].row; }
  void write(const Exec& exec, std::size_t matrix, Range rows, const float* from) final;
  void initialize(const Exec& exec, const embedding::StartValues& start) final;
  Bytes bytes() const override;

 protected:
  CachedRows(const embedding::TableShard& shard, std::vector<embedding::RowMatrix> matrices);

  /// Row at a slot.
  struct Held {
    Index row = -1;
    Index place = -1;  ///< place of its record in the backing store; -1 = none
    bool moved = false;
  };

  // pin() calls save() and load() for each row that leaves and enters, then transfer(). In one call no row does both.
  /// Ends all transfers in flight.
  virtual void settle(const Exec& exec) const = 0;
  /// Stores the row at a slot if it has moved since it was loaded, and sets its place.
  virtual void save(const Exec& exec, Index slot) = 0;
  /// Requests the numbers of the row that was given a slot.
  virtual void load(Index slot) = 0;
  /// Begins the requested transfers.
  virtual void transfer(const Exec& exec) = 0;
  /// Writes numbers of a matrix to slots whose rows are resident. Returns how many of them were rounded.
  virtual Index put(const Exec& exec, std::size_t matrix, std::span<const Index> slots, const float* from) = 0;
  /// Declares a record as outdated.
  virtual void drop(Index place) = 0;

  const std::string& name() const { return name_; }
  const StartRow& start() const { return start_; }
  Whereabouts& where(Index row) { return where_[row - first_row()]; }
  Whereabouts where(Index row) const { return where_[row - first_row()]; }
  Held& held(Index slot) { return held_[slot]; }
  Index slots() const { return std::ssize(held_); }
  embedding::CacheUse& use() { return use_; }
  const embedding::CacheUse& use() const { return use_; }

  static constexpr Index rows_at_once = 4096;  ///< rows that read() and write() handle together

 private:
  Index admit(const Exec& exec, Index row);
  [[noreturn]] void fail_full(std::size_t missing) const;

  std::string name_;
  Index record_bytes_;
  StartRow start_;
  std::vector<Whereabouts> where_;  // [row - first_row()]
  std::vector<Held> held_;          // [slot]
  Victims victims_;
  embedding::CacheUse use_;  // rows pinned so far, and rows loaded for them
};

/// Returns the bytes of a row with its states.
Index record_bytes(std::span<const embedding::RowMatrix> matrices);
Index record_bytes(const embedding::TableShard& shard);

}  // namespace tesserec::tiers
