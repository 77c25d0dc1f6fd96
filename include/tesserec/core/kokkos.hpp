// SPDX-License-Identifier: Apache-2.0
/// Aliases and wrappers of Kokkos for the whole program, and functions that Kokkos 3.4.1 lacks.
#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tesserec/core/huge_pages.hpp>
#include <tesserec/core/index.hpp>
#ifdef TESSEREC_EMULATED
#include <tesserec/emulated/launch.hpp>
#endif

namespace tesserec {

/// Host space in which kernels run: that of the installed Kokkos, Serial or OpenMP.
using Exec = Kokkos::DefaultHostExecutionSpace;
using Memory = Exec::memory_space;

template <class T>
using Vector = Kokkos::View<T*, Kokkos::LayoutRight, Memory>;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

#ifdef TESSEREC_EMULATED
using Device = emulated::Device;
template <class T>
using DeviceVector = emulated::Array<T, emulated::Kind::device>;
#else
/// Space in which device kernels run: the default space of the installed Kokkos; in a host build the same as Exec.
using Device = Kokkos::DefaultExecutionSpace;
template <class T>
using DeviceVector = Kokkos::View<T*, Kokkos::LayoutRight, Device::memory_space>;
#endif

/// Matrix [rows, columns], row-major, in memory that it does not own.
template <class T>
using MatrixView = Kokkos::View<T**, Kokkos::LayoutRight, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class T>
MatrixView<T> view_of(T* data, Index rows, Index columns) {
  return MatrixView<T>(data, rows, columns);
}

/// Returns the number of threads of `exec`.
inline int concurrency(const Exec& exec) { return int(exec.concurrency()); }

/// Allocates uninitialized storage; the label is "tesserec::<folder>::<name>". Asks for huge pages where the storage
/// spans a whole 2 MiB page, which is certain from 4 MiB on.
template <class T>
Vector<T> make_vector(const Exec& exec, const std::string& label, Index size) {
  Vector<T> view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size);
  advise_huge_pages(const_cast<std::remove_const_t<T>*>(view.data()), view.span() * sizeof(T));
  return view;
}

template <class T>
Matrix<T> make_matrix(const Exec& exec, const std::string& label, Index rows, Index columns) {
  Matrix<T> view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), rows, columns);
  advise_huge_pages(const_cast<std::remove_const_t<T>*>(view.data()), view.span() * sizeof(T));
  return view;
}

/// Grows a view of fewer than `size` values, losing its content, and never shrinks it: scratch that is reused step
/// after step.
template <class T>
void reserve(const Exec& exec, Vector<T>& view, const std::string& label, Index size) {
  if (Index(view.extent(0)) < size) view = make_vector<T>(exec, label, size + size / 8);
}

/// Holder of the first exception of concurrent calls. An exception that left its thread would end the process.
class FirstException {
 public:
  /// Runs `call` and keeps its exception if it is the first.
  template <class Call>
  void guard(const Call& call) noexcept {
    try {
      call();
    } catch (...) {
      if (!caught_.exchange(true)) exception_ = std::current_exception();
    }
  }
  /// Rethrows the kept exception, if there is one. Must be called after all threads are done.
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::atomic<bool> caught_{false};
  std::exception_ptr exception_;
};

/// Launches `body(i)` for i in [0, size) on `exec`; the label is "tesserec::<folder>::<name>". A noexcept body captures
/// its operands by value, and the call may return before it has run. Fence before the host reads results or sends them.
/// A body that may throw is waited for: the first exception is rethrown after all iterations.
template <class Body>
void parallel_for(const Exec& exec, const std::string& label, Index size, const Body& body) {
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>> range(exec, 0, size);
  if constexpr (std::is_nothrow_invocable_v<const Body&, Index>) {
    Kokkos::parallel_for(label, range, body);
  } else {
    FirstException first;
    Kokkos::parallel_for(label, range, [body, &first](Index i) { first.guard([&] { body(i); }); });
    exec.fence();
    first.rethrow();
  }
}

/// A named phase: a Kokkos profiling region.
class Region {
 public:
  explicit Region(const std::string& name) { Kokkos::Profiling::pushRegion(name); }
  ~Region() { Kokkos::Profiling::popRegion(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};

/// Returns the name of the space and its threads, such as "OpenMP, 8 threads".
std::string backend_description(const Exec& exec);
/// Returns the version, such as "3.4.1".
std::string kokkos_version();

}  // namespace tesserec
