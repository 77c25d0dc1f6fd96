// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec {

/// Time [seconds] of each named phase, which is a Kokkos profiling region too. A phase inside another one interrupts
/// it.
class Phases {
 public:
  /// Consecutive phases: each one ends where the next begins, and the last one ends with the object.
  class Sequence {
   public:
    explicit Sequence(Phases& phases) : phases_(phases) {}
    ~Sequence() { end(); }
    Sequence(const Sequence&) = delete;
    Sequence& operator=(const Sequence&) = delete;
    /// Ends the current phase and begins the phase `name`.
    void operator()(const char* name) {
      end();
      phases_.push(name);
      begun_ = true;
    }

   private:
    void end() {
      if (std::exchange(begun_, false)) phases_.pop();
    }

    Phases& phases_;
    bool begun_ = false;
  };

  /// Runs `body` as the phase `name` and returns its result.
  template <class Body>
  decltype(auto) time(const char* name, const Body& body) {
    Sequence phase(*this);
    phase(name);
    return body();
  }

  /// Returns the seconds of each phase, in the order in which the phases first began.
  const std::vector<std::pair<std::string, double>>& seconds() const { return seconds_; }

 private:
  void push(const char* name) {
    count();
    std::size_t i = 0;
    while (i < seconds_.size() && seconds_[i].first != name) ++i;
    if (i == seconds_.size()) seconds_.emplace_back(name, 0.0);
    running_.push_back(i);
    Kokkos::Profiling::pushRegion("tesserec::step::" + seconds_[i].first);
  }
  void pop() {
    count();
    running_.pop_back();
    Kokkos::Profiling::popRegion();
  }
  /// Adds the time since the last call to the running phase.
  void count() {
    const double elapsed = timer_.seconds();
    if (!running_.empty()) seconds_[running_.back()].second += elapsed;
    timer_ = {};
  }

  std::vector<std::pair<std::string, double>> seconds_;
  std::vector<std::size_t> running_;  // indices of the open phases, the innermost last
  Timer timer_;
};

}  // namespace tesserec
