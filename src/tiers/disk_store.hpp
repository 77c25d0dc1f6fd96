// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pending_reads.hpp"
#include "row_log.hpp"
#include "start_row.hpp"
#include "victims.hpp"
#include "whereabouts.hpp"
#include <tesserec/tiers/disk_rows.hpp>

namespace tesserec::tiers {

/// Bytes of a row with its states in the file.
Index record_bytes(std::span<const embedding::RowMatrix> matrices);

/// Store of disk_rows(): a file of records, and slots in host memory.
class DiskRows : public embedding::RowStore, private IoClient {
 public:
  DiskRows(const Exec& exec, const embedding::TableShard& shard, const DiskSettings& settings, Index slots,
           std::shared_ptr<IoQueue> queue)
      : RowStore(shard, embedding::row_matrices(exec, shard, slots)),
        name_(shard.config.name),
        settings_(settings),
        queue_(std::move(queue)),
        start_(shard.columns, matrices()),
        where_(shard.rows().size()),
        held_(slots),
        victims_(slots),
        record_(record_bytes(matrices())),
        log_(settings.folder, name_, record_bytes(matrices()), shard.rows().size(), *queue_,
             {.settle = [this] { wait_reads(); },
              .moved =
                  [this](Index row, Index place) {
                    if (where(row).is_resident())
                      held_[where(row).slot()].place = place;
                    else
                      where(row) = Whereabouts::in_log(place);
                  }}) {}
  ~DiskRows() override {
    queue_->push(requests_);  // an error in pin() leaves requests that are counted, but not queued yet
    reads_.wait();
  }

  std::vector<Index> pin(const Exec&, std::span<const Index> rows) override;
  void wait_pinned() override { wait_reads(); }
  void release(std::span<const Index> slots, bool moved) override {
    for (const Index slot : slots) {
      victims_.unpin(slot);
      held_[slot].moved |= moved;
    }
  }
  Index row_at(Index slot) const override { return held_[slot].row; }

  void read(const Exec& exec, std::size_t matrix, Range rows, float* to) const override;
  void write(const Exec& exec, std::size_t matrix, Range rows, const float* from) override;
  void initialize(const Exec& exec, const embedding::StartValues& start) override;
  Bytes bytes() const override;
  embedding::CacheUse cache_use() const override;

 private:
  struct Held {
    Index row = -1;
    Index place = -1;  // of the last version in the log; -1 = none
    bool moved = false;
    Index read_epoch = -1;
  };

  Whereabouts& where(Index row) { return where_[row - first_row()]; }
  Index admit(Index row);
  void evict(Index slot);
  void scatter(Index slot, const std::byte* record);
  void done(Index tag, const std::byte* data, int error) override;
  void wait_reads() const;

  std::string name_;
  DiskSettings settings_;
  std::shared_ptr<IoQueue> queue_;
  StartRow start_;
  std::vector<Whereabouts> where_;
  std::vector<Held> held_;  // [slot]
  Victims victims_;
  std::vector<std::byte> record_;
  RowLog log_;
  embedding::CacheUse use_;                  // rows pinned so far, and rows read for them
  mutable std::vector<IoRequest> requests_;  // not queued yet
  mutable Index epoch_ = 0;                  // number of waits for reads so far
  mutable PendingReads reads_;
};

}  // namespace tesserec::tiers
