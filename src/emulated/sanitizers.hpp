// SPDX-License-Identifier: Apache-2.0
// Calls of ThreadSanitizer and AddressSanitizer, empty in builds without them. ThreadSanitizer does not instrument this
// folder.
#pragma once

#include <cstddef>

#ifdef TESSEREC_THREAD_SANITIZER
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_set_fiber_name(void* fiber, const char* name);
void __tsan_acquire(void* at);
void __tsan_release(void* at);
void __tsan_read_range(void* at, unsigned long bytes);
void __tsan_write_range(void* at, unsigned long bytes);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif
#ifdef TESSEREC_ADDRESS_SANITIZER
extern "C" {
void __asan_poison_memory_region(const volatile void* at, std::size_t bytes);
void __sanitizer_start_switch_fiber(void** saved, const void* bottom, std::size_t bytes);
void __sanitizer_finish_switch_fiber(void* saved, const void** bottom, std::size_t* bytes);
}
#endif

namespace tesserec::emulated {

#ifdef TESSEREC_THREAD_SANITIZER
inline constexpr bool sees_threads = true;
#else
inline constexpr bool sees_threads = false;
#endif

/// A thread as ThreadSanitizer sees it.
class SanitizerFiber {
 public:
#ifdef TESSEREC_THREAD_SANITIZER
  static SanitizerFiber current() { return SanitizerFiber(__tsan_get_current_fiber()); }
  static SanitizerFiber made() { return SanitizerFiber(__tsan_create_fiber(0)); }
  /// Attributes all that follows to this thread. Does not order threads.
  void enter() const { __tsan_switch_to_fiber(fiber_, 1); }
  void name(const char* name) const { __tsan_set_fiber_name(fiber_, name); }

 private:
  explicit SanitizerFiber(void* fiber) : fiber_(fiber) {}
  void* fiber_;
#else
  static SanitizerFiber current() { return {}; }
  static SanitizerFiber made() { return {}; }
  void enter() const {}
  void name(const char*) const {}
#endif
};

/// Orders threads: all before a release happens before all after an acquire of the same address, which malloc must have
/// returned.
#ifdef TESSEREC_THREAD_SANITIZER
inline void release(void* at) { __tsan_release(at); }
inline void acquire(void* at) { __tsan_acquire(at); }
inline void seen_read(const void* at, std::size_t bytes) { __tsan_read_range(const_cast<void*>(at), bytes); }
inline void seen_write(void* at, std::size_t bytes) { __tsan_write_range(at, bytes); }
#else
inline void release(void*) {}
inline void acquire(void*) {}
inline void seen_read(const void*, std::size_t) {}
inline void seen_write(void*, std::size_t) {}
#endif

/// Scope whose memory accesses ThreadSanitizer ignores, for this folder's own data, such as reference counts.
class SanitizerIgnoreScope {
 public:
#ifdef TESSEREC_THREAD_SANITIZER
  SanitizerIgnoreScope() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~SanitizerIgnoreScope() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
#else
  SanitizerIgnoreScope() {}
#endif
  SanitizerIgnoreScope(const SanitizerIgnoreScope&) = delete;
};

#ifdef TESSEREC_ADDRESS_SANITIZER
inline void poison(const void* at, std::size_t bytes) { __asan_poison_memory_region(at, bytes); }
#else
inline void poison(const void*, std::size_t) {}
#endif

}  // namespace tesserec::emulated
