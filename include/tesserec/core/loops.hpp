// SPDX-License-Identifier: Apache-2.0
/// Loops over a batch that are written once: a Where says whether they run at once on the calling thread, or are queued
/// on a device. A body is a KOKKOS_LAMBDA or a functor that captures its operands by value and reads no member of the
/// class around it.
#pragma once

#include <memory>
#include <new>
#include <span>

#include <tesserec/core/device_list.hpp>
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/row_threads.hpp>

namespace tesserec {

/// Place where loops run: the calling thread, or a device.
class Where {
 public:
  /// Selects the calling thread: a loop has run when its call returns.
  Where() = default;
  /// Selects `device`, which must outlive this object. Loops are queued and run in order.
  explicit Where(const Device& device) : device_(&device) {}

  bool is_thread() const { return device_ == nullptr; }
  const Device& device() const { return *device_; }

 private:
  const Device* device_ = nullptr;
};

// Bodies are inlined into each version of these functions. The copy keeps a body's members in registers.
template <class Body>
TESSEREC_LOOPS static void run_elements(Index rows, Index width, const Body& given) {
  const Body body = given;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < width; ++c) body(r, c);
}
template <class Body>
TESSEREC_LOOPS static void run_rows(Index begin, Index end, const Body& given) {
  const Body body = given;
  for (Index r = begin; r < end; ++r) body(r, RowThreads());
}

/// Functors that Kokkos launches.
template <class Body>
struct OverElements {
  Index width;
  Body body;
  TESSEREC_FUNCTION void operator()(Index i) const { body(i / width, i % width); }
};
template <class Body>
struct OverRows {
  Body body;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    if constexpr (device_is_host)
      run_rows(i, i + 1, body);
    else
      body(i / RowThreads::on_device, RowThreads(int(i % RowThreads::on_device)));
  }
};

/// Runs body(i) for i in [0, n); on a device one thread each.
template <class Body>
void over_numbers(const Where& where, const char* label, Index n, const Body& body) {
  if (where.is_thread())
    run_numbers(0, n, body);
  else
    over_numbers(where.device(), label, n, body);
}
/// Runs body(row, column) for all elements of [rows, width]; on a device one thread each.
template <class Body>
void over_elements(const Where& where, const char* label, Index rows, Index width, const Body& body) {
  if (where.is_thread())
    run_elements(rows, width, body);
  else
    over_numbers(where.device(), label, rows * width, OverElements<Body>{width, body});
}
/// Runs body(row, threads) for rows in [0, rows); `threads` is the row's RowThreads.
template <class Body>
void over_rows(const Where& where, const char* label, Index rows, const Body& body) {
  if (where.is_thread())
    run_rows(0, rows, body);
  else
    launch_threads(where.device(), label, rows * RowThreads::on_device, OverRows<Body>{body});
}

/// Buffer that a batch's loops read and write, in the memory of one Where. It grows and never shrinks.
template <class T>
class LoopBuffer {
 public:
  /// Grows the buffer if it has fewer than `size` values, losing its content, and returns its data.
  T* reserve(const Where& where, const char* label, Index size) {
    if (!where.is_thread()) {
      data_ = reserve_device(where.device(), on_device_, label, size);
    } else if (size_ < size) {
      on_host_.reset(new (std::align_val_t(line)) T[size]());
      data_ = on_host_.get();
      size_ = size;
    }
    return data_;
  }
  T* data() const { return data_; }

 private:
  static constexpr std::size_t line = 64;
  struct Delete {
    void operator()(T* numbers) const { ::operator delete[](numbers, std::align_val_t(line)); }
  };
  T* data_ = nullptr;
  Index size_ = 0;  // size of on_host_
  std::unique_ptr<T[], Delete> on_host_;
  DeviceVector<T> on_device_;
};

/// A short list that loops read, in the memory where they run.
template <class T>
class LoopList {
 public:
  /// Returns the list for loops of `where`: on a thread `list` itself, which must outlive them, and on a device a copy.
  const T* send(const Where& where, std::span<const T> list) {
    return where.is_thread() ? list.data() : on_device_.upload(where.device(), list);
  }

 private:
  DeviceList<T> on_device_;
};

}  // namespace tesserec
