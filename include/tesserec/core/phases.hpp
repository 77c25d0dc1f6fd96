// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec {

/// Seconds spent in each named phase; each is a Kokkos profiling region too. A phase inside another one interrupts it.
class Phases {
 public:
  /// Phases one after the other: each begins where the one before ends, the last one ends with the sequence.
  class Sequence {
   public:
    explicit Sequence(Phases& phases) : phases_(phases) {}
    ~Sequence() { end(); }
    Sequence(const Sequence&) = delete;
    Sequence& operator=(const Sequence&) = delete;
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

  template <class Body>
  decltype(auto) time(const char* name, const Body& body) {
    Sequence phase(*this);
    phase(name);
    return body();
  }

  /// Lists them in the order of their first beginning.
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
  /// Counts the time up to now to the phase that runs.
  void count() {
    const double more = timer_.seconds();
    if (!running_.empty()) seconds_[running_.back()].second += more;
    timer_ = {};
  }

  std::vector<std::pair<std::string, double>> seconds_;
  std::vector<std::size_t> running_;  // the innermost last
  Timer timer_;
};

}  // namespace tesserec
