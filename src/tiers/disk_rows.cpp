// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "disk_store.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/disk_row.hpp>

namespace tesserec::tiers {
namespace {

using embedding::longest_disk_row;
using embedding::RowMatrix;
using embedding::TableShard;

constexpr int ring_depth = 128;   // more gain nothing on one NVMe disk
constexpr int thread_depth = 32;  // threads that wait for the disk

/// Index of a record in its page, packed with another number into a request's tag.
constexpr Index tag_of(Index number, Index position) { return number << 16 | position; }
constexpr Index number_of(Index tag) { return tag >> 16; }
constexpr Index position_of(Index tag) { return tag & 0xffff; }
static_assert(page_bytes <= 1 << 16 && longest_disk_row % page_bytes == 0);

}  // namespace

/// Appends the row to the log if it has moved since its last version there.
void DiskRows::save(const Exec&, Index slot) {
  wait_reads(read_batches_[slot]);
  Held& held = this->held(slot);
  if (!held.moved) return;
  std::byte* to = record_.data();
  for (const RowMatrix& matrix : matrices()) {
    std::memcpy(to, matrix.row(slot), matrix.row_bytes());
    to += matrix.row_bytes();
  }
  const Index place = log_.append(held.row, record_.data());  // an error leaves the older version, which may have moved
  if (held.place >= 0) log_.drop(held.place);
  held.place = place;
}

void DiskRows::load(Index slot) {
  const auto& [row, place, moved] = held(slot);
  read_batches_[slot] = -1;
  if (place < 0) {
    for (std::size_t m = 0; m < matrices().size(); ++m)
      start().write(row, m, matrices()[m], matrices()[m].row(slot), scratch_);
  } else if (const std::byte* record = log_.in_memory(place); record != nullptr) {
    scatter(slot, record);
  } else {
    read_batches_[slot] = batch_;
    ++requested_;
    ++use().reads;
    requests_.push_back(log_.read(place, *this, tag_of(slot, log_.layout().offset_in_page(place))));
  }
}

void DiskRows::transfer(const Exec&) {
  count_reads();
  ++batch_;
  if (!lazy_) push();
}

void DiskRows::count_reads() const { reads_.begin(batch_, std::exchange(requested_, 0)); }

void DiskRows::push() const {
  queue_->push(requests_);
  requests_.clear();
}

void DiskRows::scatter(Index slot, const std::byte* record) {
  for (const RowMatrix& matrix : matrices()) {
    std::memcpy(matrix.row(slot), record, matrix.row_bytes());
    record += matrix.row_bytes();
  }
}

void DiskRows::done(Index tag, const std::byte* data, int error) {
  if (error == 0) scatter(number_of(tag), data + position_of(tag));
  reads_.end(read_batches_[number_of(tag)], error);
}

void DiskRows::wait_pinned(std::span<const Index> slots) {
  Index last = -1;
  for (const Index slot : slots) last = std::max(last, read_batches_[slot]);
  wait_reads(last);
}

/// Blocks until all reads up to those of a batch have ended.
void DiskRows::wait_reads(Index batch) const {
  if (batch <= ended_) return;
  count_reads();
  push();
  if (const int error = reads_.wait(batch); error != 0) log_.fail_read(error);
  ended_ = std::min(batch, batch_ - 1);  // reads of batch_ may follow
}

void DiskRows::read(const Exec& exec, std::size_t matrix, Range rows, float* to) const {
  /// Copies the numbers of one matrix out of records.
  struct Gather : IoClient {
    const RowMatrix* matrix = nullptr;
    Index offset = 0, columns = 0;  // of the matrix in a record, in bytes and in numbers
    float* to = nullptr;
    PendingReads reads;
    void copy(Index row, const std::byte* record) const { matrix->get(record + offset, columns, to + row * columns); }
    void done(Index tag, const std::byte* data, int error) override {
      if (error == 0) copy(number_of(tag), data + position_of(tag));
      reads.end(0, error);
    }
  };
  settle(exec);
  Gather gather;
  gather.matrix = &matrices()[matrix];
  gather.columns = gather.matrix->columns();
  gather.offset = record_bytes(std::span(matrices()).first(matrix));
  std::vector<IoRequest> requests;
  for (Index begin = rows.begin; begin < rows.end; begin += rows_at_once) {
    gather.to = to + (begin - rows.begin) * gather.columns;
    requests.clear();
    for (Index row = begin; row < std::min(rows.end, begin + rows_at_once); ++row) {
      const Whereabouts at = where(row);
      float* const out = gather.to + (row - begin) * gather.columns;
      if (at.is_resident())
        gather.matrix->get(gather.matrix->row(at.slot()), gather.columns, out);
      else if (at.place() < 0)
        start().write(row, matrix, gather.columns, out);
      else if (const std::byte* record = log_.in_memory(at.place()); record != nullptr)
        gather.copy(row - begin, record);
      else
        requests.push_back(
            log_.read(at.place(), gather, tag_of(row - begin, log_.layout().offset_in_page(at.place()))));
    }
    gather.reads.begin(0, std::ssize(requests));
    queue_->push(requests);
    if (const int error = gather.reads.wait(0); error != 0) log_.fail_read(error);
  }
}

Index DiskRows::put(const Exec&, std::size_t matrix, std::span<const Index> slots, const float* from) {
  const RowMatrix& held = matrices()[matrix];
  Index rounded = 0;
  for (const Index slot : slots) {
    rounded += held.put(from, held.columns(), held.row(slot));
    from += held.columns();
  }
  return rounded;
}

embedding::RowStore::Bytes DiskRows::bytes() const {
  Bytes all = CachedRows::bytes();
  all.host += std::ssize(read_batches_) * Index{sizeof(Index)} + log_.memory_bytes();
  all.disk += log_.file_bytes();
  return all;
}

embedding::CacheUse DiskRows::cache_use() const {
  const char* const engine = queue_->engine() == IoQueue::Engine::uring ? "io_uring" : "threads";
  return {.slots = slots(),
          .pinned = use().pinned,
          .reads = use().reads,
          .bytes_read = use().reads * log_.layout().read_bytes(),
          .bytes_written = log_.bytes_written(),
          .io = concat(engine, ", ", log_.direct() ? "direct I/O" : "buffered I/O")};
}

embedding::MakeRowStore disk_rows(const DiskSettings& settings) {
  using enum IoQueue::Engine;
  // All tables share one queue, which exists once a table needs it.
  const auto queue = std::make_shared<std::shared_ptr<IoQueue>>();
  return [=](const Exec& exec, const TableShard& shard) -> std::unique_ptr<embedding::RowStore> {
    const std::string& name = shard.config.name;
    if (shard.place != Place::host)
      fail("table ", name, ": rows on disk are cached in host memory, where kernels of a device cannot read them");
    const Index bytes = record_bytes(shard);
    if (bytes > longest_disk_row)
      fail("table ", name, ": a row with its optimizer state has ", bytes_text(double(bytes)),
           "; rows on disk have at most ", bytes_text(double(longest_disk_row)));
    if (!*queue)
      *queue = settings.threads ? std::make_shared<IoQueue>(threads, thread_depth, longest_disk_row)
                                : std::make_shared<IoQueue>(uring, ring_depth, longest_disk_row);
    const Index slots = cache_slots(shard, settings.cache, settings.table_caches, settings.least_rows).slots;
    return std::make_unique<DiskRows>(exec, shard, settings, slots, *queue);
  };
}

}  // namespace tesserec::tiers
