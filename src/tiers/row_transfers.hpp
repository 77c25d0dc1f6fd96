// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/core/upload.hpp>
#include <tesserec/embedding/row_store.hpp>

namespace tesserec::tiers {

/// Numbers of one matrix in records, for kernels.
struct RecordPart {
  void* values = nullptr;  ///< [slots, numbers] in the device's memory
  Index offset = 0;        ///< of the part in a record [bytes]
  Index numbers = 0;
  bool is_short = false;  ///< numbers of 16 bits
};
/// Most matrices of a store: the weights and three states.
inline constexpr int max_parts = 4;

/// Transfers of rows between slots of matrices in a device's memory and records in host memory. A record has the row's
/// numbers of each matrix, each part at a multiple of four bytes. Rows of a call are copied in one transfer through
/// pinned memory, and kernels distribute them to slots.
class RowTransfers {
 public:
  /// Takes at most max_parts matrices in the device's memory, and the list of the row at each slot there.
  RowTransfers(std::span<const embedding::RowMatrix> matrices, Index* rows_of_slots);
  /// Blocks until all copies are done.
  ~RowTransfers() { returned_.wait(); }
  RowTransfers(const RowTransfers&) = delete;

  Index record_bytes() const { return record_bytes_; }
  /// Returns the offset of a matrix's numbers in a record [bytes].
  Index offset(std::size_t matrix) const { return parts_[matrix].offset; }

  /// Returns pinned storage of `count` records, to be filled before send(). Blocks until the send before last is done.
  std::byte* stage(const Device& device, Index count);
  /// Queues the copy of the staged records to slots, which are different. `rows`: rows at the slots from now on.
  void send(const Device& device, std::span<const Index> slots, std::span<const Index> rows);
  /// Queues the same for the numbers of one matrix, of rows that are at the slots already.
  void send(const Device& device, std::span<const Index> slots, std::size_t matrix);
  /// Queues the copy of the rows at slots to the host. Only one such copy may be in flight.
  void fetch(const Device& device, std::span<const Index> slots);
  /// Blocks until the rows of the last fetch() are on the host. Returns their records, in the order of the slots.
  const std::byte* fetched() const;
  /// Returns the bytes of buffers in the device's memory, and in host memory.
  Index device_bytes() const;
  Index host_bytes() const;

 private:
  void scatter(const Device& device, std::span<const Index> slots, std::span<const Index> rows, int first, int last);

  std::vector<RecordPart> parts_;
  Index* rows_of_slots_;
  Index record_bytes_ = 0;
  Upload<std::byte> sent_;  // slots, rows, records
  std::byte* staged_ = nullptr;
  Upload<Index> sent_slots_;  // of fetch()
  DeviceVector<std::byte> leaving_;
  PinnedVector<std::byte> arrived_;
  DeviceMark returned_;
};

}  // namespace tesserec::tiers
