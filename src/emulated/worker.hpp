// SPDX-License-Identifier: Apache-2.0
// Stacks on which the threads of a block run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/context/fiber.hpp>

#include "sanitizers.hpp"
#include "watched.hpp"
#include <tesserec/emulated/settings.hpp>

namespace tesserec::emulated {

/// Draws the next number of the process's SplitMix64 sequence, which starts from Settings::seed.
inline std::uint64_t draw() {
  static std::uint64_t state = settings().seed;
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
inline std::uint64_t draw_below(std::uint64_t n) { return draw() % n; }

/// A stack on which jobs run one after another. A job may stop before its end and be resumed.
class Worker {
 public:
  Worker();
  Worker(const Worker&) = delete;
  ~Worker();

  /// Runs a job until it stops or ends. Keeps a reference to `job`.
  void start(const std::function<void()>& job);
  /// Resumes the job until it stops or ends.
  void resume();
  /// Stops the job and returns to the caller of start() or resume(). The job calls it.
  void stop();
  bool ended() const { return job_ == nullptr; }
  /// Sets the worker's name in reports of ThreadSanitizer.
  void name(const std::string& name) const { seen_.name(name.c_str()); }
  Watched::AddressRange stack() const { return {bottom_, size}; }

 private:
  static constexpr std::size_t size = std::size_t{256} << 10;  // bytes of the stack
  struct Stack;

  std::uintptr_t bottom_ = 0;
  boost::context::fiber inside_, outside_;
  const std::function<void()>* job_ = nullptr;
  SanitizerFiber seen_ = SanitizerFiber::made(), from_ = seen_;
  void* saved_ = nullptr;              // AddressSanitizer's state of the stopped job
  const void* from_bottom_ = nullptr;  // stack of the code that resumes the job
  std::size_t from_bytes_ = 0;
};

/// Pool of workers. With ThreadSanitizer, take() draws one of many idle ones, since all jobs of one worker count as
/// ordered.
class Workers {
 public:
  Worker* take(std::uint64_t draw);
  void give(Worker* worker) { idle_.push_back(worker); }

 private:
  std::vector<std::unique_ptr<Worker>> all_;
  std::vector<Worker*> idle_;
};

}  // namespace tesserec::emulated
