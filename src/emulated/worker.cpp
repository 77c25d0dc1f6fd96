// SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>

#include <tesserec/emulated/fault.hpp>

namespace tesserec::emulated {

/// Stack allocator for Boost.Context. A guard page lies below each stack.
struct Worker::Stack {
  using traits_type = boost::context::stack_traits;
  static constexpr std::size_t guard = 4096;

  std::uintptr_t* bottom;
  boost::context::stack_context allocate() {
    void* const at =
        mmap(nullptr, size + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED || mprotect(at, guard, PROT_NONE) != 0)
      fault("cannot allocate the stack of a block's thread: " + std::string(std::strerror(errno)));
    *bottom = reinterpret_cast<std::uintptr_t>(at) + guard;
    boost::context::stack_context made;
    made.size = size;
    made.sp = static_cast<char*>(at) + guard + size;
    return made;
  }
  void deallocate(boost::context::stack_context& made) noexcept {
    munmap(static_cast<char*>(made.sp) - made.size - guard, made.size + guard);
  }
};

Worker::Worker() {
  inside_ = boost::context::fiber(std::allocator_arg, Stack{&bottom_}, [this](boost::context::fiber&& from) {
    outside_ = std::move(from);
#ifdef TESSEREC_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(nullptr, &from_bottom_, &from_bytes_);
#endif
    for (;;) {
      (*job_)();
      job_ = nullptr;
      stop();
    }
    return std::move(outside_);
  });
}

Worker::~Worker() = default;

void Worker::start(const std::function<void()>& job) {
  job_ = &job;
  resume();
}

void Worker::resume() {
  from_ = SanitizerFiber::current();
  seen_.enter();
#ifdef TESSEREC_ADDRESS_SANITIZER
  void* saved = nullptr;
  __sanitizer_start_switch_fiber(&saved, reinterpret_cast<void*>(bottom_), size);
#endif
  inside_ = std::move(inside_).resume();
#ifdef TESSEREC_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(saved, nullptr, nullptr);
#endif
}

void Worker::stop() {
#ifdef TESSEREC_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&saved_, from_bottom_, from_bytes_);
#endif
  from_.enter();
  outside_ = std::move(outside_).resume();
#ifdef TESSEREC_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(saved_, &from_bottom_, &from_bytes_);
#endif
}

Worker* Workers::take(std::uint64_t draw) {
  constexpr std::size_t count = sees_threads ? 96 : 1;
  while (idle_.size() < count) {
    all_.push_back(std::make_unique<Worker>());
    idle_.push_back(all_.back().get());
  }
  if (sees_threads) std::swap(idle_[draw % idle_.size()], idle_.back());
  Worker* const taken = idle_.back();
  idle_.pop_back();
  return taken;
}

}  // namespace tesserec::emulated
