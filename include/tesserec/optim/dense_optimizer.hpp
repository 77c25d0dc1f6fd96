// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/core/placed.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::optim {

/// Moves one flat vector of parameters.
class DenseOptimizer {
 public:
  /// For `size` parameters. Its states lie in the host's `memory` [state_size(settings, size)], or null: in its own, at
  /// `place`, where parameters and gradients lie too. `tensors`: where they lie, for types that move a tensor by its
  /// length (LAMB, LARS); without them all is one. Error: a type that has numbers of rows.
  DenseOptimizer(const Exec& exec, const Settings& settings, Index size, float* memory = nullptr,
                 std::vector<Range> tensors = {}, Place place = Place::host);
  static Index state_size(const Settings& settings, Index size);

  /// Moves the parameters of `part`, or the tensors that begin in it, exactly by `gradient` times `scale`; `step`
  /// counts from 1. On a device it does not block.
  void step(const Exec& exec, const PlacedVector<float>& parameters, const PlacedVector<float>& gradient, double lr,
            Index step, Range part, float scale = 1.0f);

  const Settings& settings() const { return settings_; }
  /// The states by name, for checkpoints; as long as the parameters.
  struct State {
    std::string name;
    PlacedVector<float> values;
  };
  const std::vector<State>& state() const { return state_; }

 private:
  void move_tensors(const Exec& exec, const StepScalars& scalars, float* weights, const float* gradient, Range part,
                    float scale);
  States states_from(Index begin) const;

  Settings settings_;
  Place place_;
  std::vector<Range> tensors_;
  std::vector<State> state_;
  DeviceVector<float> sums_;  // scratch of tensors that move by their length
};

}  // namespace tesserec::optim
