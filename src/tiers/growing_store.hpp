// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "growing_admission.hpp"
#include "growing_start.hpp"
#include "unknown_slots.hpp"

namespace tesserec::tiers {

/// Store of growing_rows(): slots for the rows of GrowingAdmission, and behind them slots for ids without a row.
class GrowingTable : public GrowingRows {
 public:
  GrowingTable(const Exec& exec, const embedding::TableShard& shard, const GrowthSettings& settings);

  std::vector<Index> pin(const Exec& exec, std::span<const Index> ids) override;
  std::vector<Index> pin_to_train(const Exec& exec, std::span<const Index> ids) override;
  void release(std::span<const Index> slots, bool moved) override;
  Index row_at(Index slot) const override {
    return has_row(slot) ? rows().use_of(slot).id : unknown_.id(slot - rows().places().size());
  }
  bool has_row(Index slot) const override { return slot < rows().places().size(); }

  void read(const Exec& exec, std::size_t matrix, Range rows, float* to) const override;
  void write(const Exec& exec, std::size_t matrix, Range rows, const float* from) override;
  void initialize(const Exec& exec, const embedding::StartValues& start) override;
  Bytes bytes() const override;

  Growth growth() const override { return admission_.growth(); }
  GrowthState state() const override { return admission_.state(); }
  void restore(const GrowthState& state) override { admission_.restore(state, starts()); }
  void mark() override { admission_.mark(); }
  GrowthChange changes() const override { return admission_.changes(); }
  std::vector<Index> apply(const GrowthChange& change) override { return admission_.apply(change, starts()); }

 private:
  const BlockIds& rows() const { return admission_.rows(); }
  std::vector<Index> pin_all(const Exec& exec, std::span<const Index> ids, bool trains);
  void give_unknown_slots(std::span<const Miss> misses, std::vector<Index>& slots);
  void check_in_flight() const;
  void check_held(Range rows) const;
  StartRows starts() const { return {start_, *this}; }

  std::string name_;
  bool zeros_;
  GrowingStart start_;
  mutable GrowingAdmission admission_;  // which sorts its rows when they are read
  UnknownSlots unknown_;
  Index kept_batches_;
  Index pinned_ = 0;              // slots in flight, each use counted
  Index found_ = 0;               // slots of pin() since none was in flight
  std::vector<Index> trained_{};  // [kept_batches - 1] slots of the latest training batches
};

}  // namespace tesserec::tiers
