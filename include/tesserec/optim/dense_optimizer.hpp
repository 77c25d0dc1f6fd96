// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/core/placed.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::optim {

/// Optimizer of one flat vector of parameters.
class DenseOptimizer {
 public:
  /// Allocates the states of `size` parameters and sets their start values. The states lie in the host's `memory`
  /// [state_size(settings, size)], or, if it is null, in an allocation at `place`. Parameters and gradients must lie at
  /// `place` too. `tensors` are the ranges of the tensors, for types that use a tensor's norm (LAMB, LARS); empty = one
  /// tensor. Throws Error for a type with per-row states.
  DenseOptimizer(const Exec& exec, const Settings& settings, Index size, float* memory = nullptr,
                 std::vector<Range> tensors = {}, Place place = Place::host);
  /// Returns the floats of all states of `size` parameters.
  static Index state_size(const Settings& settings, Index size);

  /// Updates the parameters of `range` with `gradient` times `scale`. Types that use a tensor's norm update the tensors
  /// that begin in `range`. `lr` is the scheduled rate; `step` counts from 1. Does not block on a device.
  void step(const Exec& exec, const PlacedVector<float>& parameters, const PlacedVector<float>& gradient, double lr,
            Index step, Range range, float scale = 1.0f);

  const Settings& settings() const { return settings_; }
  /// State by name, for checkpoints; as long as the parameters.
  struct State {
    std::string name;
    PlacedVector<float> values;
  };
  const std::vector<State>& state() const { return state_; }

 private:
  void move_tensors(const Exec& exec, const StepScalars& scalars, float* weights, const float* gradient, Range range,
                    float scale);
  States states_from(Index begin) const;

  Settings settings_;
  Place place_;
  std::vector<Range> tensors_;
  std::vector<State> state_;
  DeviceVector<float> sums_;  // scratch of tensors that move by their length
};

}  // namespace tesserec::optim
