// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cached_rows.hpp"
#include "pending_reads.hpp"
#include "row_log.hpp"
#include <tesserec/tiers/disk_rows.hpp>

namespace tesserec::tiers {

/// Store of disk_rows(): slots in host memory, before a file of records.
class DiskRows : public CachedRows, private IoClient {
 public:
  DiskRows(const Exec& exec, const embedding::TableShard& shard, const DiskSettings& settings, Index slots,
           std::shared_ptr<IoQueue> queue)
      : CachedRows(shard, embedding::row_matrices(exec, shard, slots)),
        lazy_(settings.lazy),
        queue_(std::move(queue)),
        read_batches_(slots, -1),
        record_(record_bytes(matrices())),
        log_(settings.folder, name(), record_bytes(matrices()), shard.rows().size(), *queue_,
             {.settle = [this] { wait_reads(batch_); },
              .moved =
                  [this](Index row, Index place) {
                    if (where(row).is_resident())
                      held(where(row).slot()).place = place;
                    else
                      where(row) = Whereabouts::stored(place);
                  }}) {}
  ~DiskRows() override {
    count_reads();
    push();
    reads_.wait(batch_);
  }

  void wait_pinned(std::span<const Index> slots) override;
  void read(const Exec& exec, std::size_t matrix, Range rows, float* to) const override;
  Bytes bytes() const override;
  embedding::CacheUse cache_use() const override;

 private:
  void settle(const Exec&) const override { wait_reads(batch_); }
  void save(const Exec& exec, Index slot) override;
  void load(Index slot) override;
  void transfer(const Exec& exec) override;
  Index put(const Exec& exec, std::size_t matrix, std::span<const Index> slots, const float* from) override;
  void drop(Index place) override { log_.drop(place); }

  void scatter(Index slot, const std::byte* record);
  void done(Index tag, const std::byte* data, int error) override;
  void count_reads() const;
  void push() const;
  void wait_reads(Index batch) const;

  bool lazy_;
  std::shared_ptr<IoQueue> queue_;
  std::vector<Index> read_batches_;  // [slot] batch_ of the last read into it; -1 = none
  std::vector<std::byte> record_;
  std::vector<float> scratch_{};
  RowLog log_;
  mutable std::vector<IoRequest> requests_;  // not queued yet
  mutable Index requested_ = 0;              // reads of batch_ that reads_ does not count yet
  Index batch_ = 0;                          // number of calls of pin() so far
  mutable Index ended_ = -1;                 // last batch whose reads have ended
  mutable PendingReads reads_;
};

}  // namespace tesserec::tiers
