// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "disk_store.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::tiers {
namespace {

using embedding::RowMatrix;
using embedding::StartValues;
using embedding::TableShard;

constexpr int ring_depth = 128;   // more gain nothing on one NVMe disk
constexpr int thread_depth = 32;  // threads that wait for the disk
constexpr Index largest_record = 16 * page_bytes;
constexpr Index rows_at_once = 4096;  // rows that read() and write() handle together

/// Index of a record in its page, packed with another number into a request's tag.
constexpr Index tag_of(Index number, Index position) { return number << 16 | position; }
constexpr Index number_of(Index tag) { return tag >> 16; }
constexpr Index position_of(Index tag) { return tag & 0xffff; }
static_assert(page_bytes <= 1 << 16);

}  // namespace

Index record_bytes(std::span<const RowMatrix> matrices) {
  Index bytes = 0;
  for (const RowMatrix& matrix : matrices) bytes += matrix.row_bytes();
  return bytes;
}

std::vector<Index> DiskRows::pin(const Exec&, std::span<const Index> rows) {
  use_.pinned += std::ssize(rows);
  std::vector<Index> slots(rows.size(), -1);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Whereabouts at = where(rows[i]);
    if (!at.is_resident()) {
      missing.push_back(i);
      continue;
    }
    victims_.pin(at.slot());
    slots[i] = at.slot();
  }
  for (std::size_t m = 0; m < missing.size(); ++m) {
    const Index row = rows[missing[m]];
    const Index slot = where(row).is_resident() ? where(row).slot() : admit(row);
    if (slot < 0) {
      for (const Index pinned : slots)
        if (pinned >= 0) victims_.unpin(pinned);
      const std::size_t needed = held_.size() + missing.size() - m;
      fail("table ", name_, ": the rows of the batches in flight do not fit into its cache of ",
           counted(std::ssize(held_), "row"), "; they are up to ", needed, " rows, ",
           bytes_text(double(needed) * double(record_.size())), "; set a larger cache or a smaller batch");
    }
    victims_.pin(slot);
    slots[missing[m]] = slot;
  }
  if (!settings_.lazy) {
    queue_->push(requests_);
    requests_.clear();
  }
  return slots;
}

/// Makes a row resident, and requests its record if it lies in the file. Returns the slot, or -1 if all are pinned.
Index DiskRows::admit(Index row) {
  const Index slot = victims_.victim();
  if (slot < 0) return slot;
  evict(slot);
  const Index place = where(row).place();  // after evict(), which may have moved the record
  held_[slot] = {.row = row, .place = place};
  where(row) = Whereabouts::in_slot(slot);
  if (place < 0) {
    for (std::size_t m = 0; m < matrices().size(); ++m) start_.write(row, m, matrices()[m], slot);
  } else if (const std::byte* record = log_.in_memory(place); record != nullptr) {
    scatter(slot, record);
  } else {
    held_[slot].read_epoch = epoch_;
    reads_.begin(1);
    ++use_.reads;
    requests_.push_back(log_.read(place, *this, tag_of(slot, log_.layout().offset_in_page(place))));
  }
  return slot;
}

/// Empties a slot. Appends its row to the log if the row has moved since its last version there.
void DiskRows::evict(Index slot) {
  Held& held = held_[slot];
  if (held.row < 0) return;
  if (held.read_epoch == epoch_) wait_reads();
  if (held.moved) {
    if (held.place >= 0) log_.drop(held.place);
    std::byte* to = record_.data();
    for (const RowMatrix& matrix : matrices()) {
      std::memcpy(to, matrix.row(slot), matrix.row_bytes());
      to += matrix.row_bytes();
    }
    held.place = log_.append(held.row, record_.data());
  }
  where(held.row) = Whereabouts::in_log(held.place);
  held = {};
}

void DiskRows::scatter(Index slot, const std::byte* record) {
  for (const RowMatrix& matrix : matrices()) {
    std::memcpy(matrix.row(slot), record, matrix.row_bytes());
    record += matrix.row_bytes();
  }
}

void DiskRows::done(Index tag, const std::byte* data, int error) {
  if (error == 0) scatter(number_of(tag), data + position_of(tag));
  reads_.end(error);
}

void DiskRows::wait_reads() const {
  queue_->push(requests_);
  requests_.clear();
  if (const int error = reads_.wait(); error != 0) log_.fail_read(error);
  ++epoch_;
}

void DiskRows::read(const Exec&, std::size_t matrix, Range rows, float* to) const {
  /// Copies the numbers of one matrix out of records.
  struct Gather : IoClient {
    const RowMatrix* matrix = nullptr;
    Index offset = 0, columns = 0;  // of the matrix in a record, in bytes and in numbers
    float* to = nullptr;
    PendingReads reads;
    void copy(Index row, const std::byte* record) const { matrix->get(record + offset, columns, to + row * columns); }
    void done(Index tag, const std::byte* data, int error) override {
      if (error == 0) copy(number_of(tag), data + position_of(tag));
      reads.end(error);
    }
  };
  wait_reads();
  Gather gather;
  gather.matrix = &matrices()[matrix];
  gather.columns = gather.matrix->columns();
  gather.offset = record_bytes(std::span(matrices()).first(matrix));
  std::vector<IoRequest> requests;
  for (Index begin = rows.begin; begin < rows.end; begin += rows_at_once) {
    gather.to = to + (begin - rows.begin) * gather.columns;
    requests.clear();
    for (Index row = begin; row < std::min(rows.end, begin + rows_at_once); ++row) {
      const Whereabouts at = where_[row - first_row()];
      float* const out = gather.to + (row - begin) * gather.columns;
      if (at.is_resident())
        gather.matrix->get(gather.matrix->row(at.slot()), gather.columns, out);
      else if (at.place() < 0)
        start_.write(row, matrix, out);
      else if (const std::byte* record = log_.in_memory(at.place()); record != nullptr)
        gather.copy(row - begin, record);
      else
        requests.push_back(
            log_.read(at.place(), gather, tag_of(row - begin, log_.layout().offset_in_page(at.place()))));
    }
    gather.reads.begin(std::ssize(requests));
    queue_->push(requests);
    if (const int error = gather.reads.wait(); error != 0) log_.fail_read(error);
  }
}

void DiskRows::write(const Exec& exec, std::size_t matrix, Range rows, const float* from) {
  const RowMatrix& held = matrices()[matrix];
  const Index at_once = std::min(rows_at_once, std::ssize(held_));
  const embedding::CacheUse use = use_;
  std::vector<Index> list;
  for (Index begin = rows.begin; begin < rows.end; begin += at_once) {
    list.clear();
    for (Index row = begin; row < std::min(rows.end, begin + at_once); ++row) list.push_back(row);
    const std::vector<Index> slots = pin(exec, list);
    wait_pinned();
    for (const Index slot : slots) {
      rounded_ += held.put(from, held.columns(), held.row(slot));
      from += held.columns();
    }
    release(slots, true);
  }
  use_ = use;  // cache_use() counts the rows of batches
}

void DiskRows::initialize(const Exec&, const StartValues& start) {
  wait_reads();
  start_.set_weights(start);
  for (Held& held : held_) {
    if (held.row < 0) continue;
    where(held.row) = Whereabouts::in_log(held.place);
    held = {};
  }
  for (Whereabouts& at : where_) {
    if (at.place() >= 0) log_.drop(at.place());
    at = {};
  }
}

embedding::RowStore::Bytes DiskRows::bytes() const {
  Bytes all = RowStore::bytes();
  all.host += std::ssize(where_) * Index{sizeof(Whereabouts)} + std::ssize(held_) * Index{sizeof(Held)};
  all.host += log_.memory_bytes();
  all.disk += log_.file_bytes();
  return all;
}

embedding::CacheUse DiskRows::cache_use() const {
  const char* const engine = queue_->engine() == IoQueue::Engine::uring ? "io_uring" : "threads";
  return {.slots = std::ssize(held_),
          .pinned = use_.pinned,
          .reads = use_.reads,
          .bytes_read = use_.reads * log_.layout().read_bytes(),
          .bytes_written = log_.bytes_written(),
          .io = concat(engine, ", ", log_.direct() ? "direct I/O" : "buffered I/O")};
}

namespace {

/// Returns the number of slots of a shard: a share of its rows, or its share of the table's bytes.
Index slots_of(const TableShard& shard, const DiskSettings& settings, Index bytes) {
  const auto given = settings.table_caches.find(shard.config.name);
  const double cache = given == settings.table_caches.end() ? settings.cache : given->second;
  const double rows = double(shard.rows().size());
  const double of_table = double(shard.dim()) * rows / double(shard.config.weights());
  double slots = std::ceil(rows * cache);
  if (cache >= 1) slots = std::floor(cache * of_table / double(bytes));
  return Index(std::clamp(slots, std::min(rows, double(settings.least_rows)), rows));
}

}  // namespace

embedding::MakeRowStore disk_rows(const DiskSettings& settings) {
  using enum IoQueue::Engine;
  // All tables share one queue, which exists once a table needs it.
  const auto queue = std::make_shared<std::shared_ptr<IoQueue>>();
  return [=](const Exec& exec, const TableShard& shard) -> std::unique_ptr<embedding::RowStore> {
    const std::string& name = shard.config.name;
    if (shard.place != Place::host)
      fail("table ", name, ": rows on disk are cached in host memory, where kernels of a device cannot read them");
    Index bytes = shard.dim() * bytes_of(shard.config.weight_format());
    for (const optim::StateInfo& state : optim::states(shard.optimizer.type))
      bytes += (state.per_row ? 1 : shard.dim()) * Index{sizeof(float)};
    if (bytes > largest_record)
      fail("table ", name, ": a row with its optimizer state has ", bytes_text(double(bytes)),
           "; rows on disk have at most ", bytes_text(double(largest_record)));
    if (!*queue)
      *queue = settings.threads ? std::make_shared<IoQueue>(threads, thread_depth, largest_record)
                                : std::make_shared<IoQueue>(uring, ring_depth, largest_record);
    return std::make_unique<DiskRows>(exec, shard, settings, slots_of(shard, settings, bytes), *queue);
  };
}

}  // namespace tesserec::tiers
