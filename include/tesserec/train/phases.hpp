// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec::train {

/// Seconds spent in each named phase of the step; each is a Kokkos profiling region too.
class Phases {
 public:
  template <class Body>
  decltype(auto) time(const std::string& name, const Body& body) {
    struct Scope {
      Phases& phases;
      const std::string& name;
      Region region{"tesserec::train::" + name};
      Timer timer{};
      ~Scope() { phases.add(name, timer.seconds()); }
    } scope{*this, name};
    return body();
  }

  const std::vector<std::pair<std::string, double>>& seconds() const { return seconds_; }

 private:
  void add(const std::string& name, double seconds) {
    for (auto& phase : seconds_)
      if (phase.first == name) {
        phase.second += seconds;
        return;
      }
    seconds_.emplace_back(name, seconds);
  }

  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace tesserec::train
