// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/kokkos.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::optim {

/// Moves one flat vector of parameters.
class DenseOptimizer {
 public:
  /// For `size` parameters. Its states lie in `memory` [state_size(settings, size)], or null: in its own.
  DenseOptimizer(const Exec& exec, const Settings& settings, Index size, float* memory = nullptr);
  static Index state_size(const Settings& settings, Index size);

  /// One exact step of the parameters in `part` by `gradient` times `scale`; `step` counts from 1. Threads take blocks
  /// of it.
  void step(const Exec& exec, const Vector<float>& parameters, const Vector<float>& gradient, double lr, Index step,
            Range part, float scale = 1.0f);

  const Settings& settings() const { return settings_; }
  /// The states by name, for checkpoints; as long as the parameters.
  struct State {
    std::string name;
    Vector<float> values;
  };
  const std::vector<State>& state() const { return state_; }

 private:
  Settings settings_;
  std::vector<State> state_;
};

}  // namespace tesserec::optim
