// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <limits>

#include "device_move.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/optim/dense_optimizer.hpp>

namespace tesserec::optim {
namespace {

constexpr Index block = 16384;  // weights per task

template <class Body>
void over_blocks(const Exec& exec, const std::string& label, Range range, const Body& body) {
  parallel_for(exec, label, (range.size() + block - 1) / block, [range, body](Index b) noexcept {
    const Index begin = range.begin + b * block;
    body(begin, std::min(block, range.end - begin));
  });
}

}  // namespace

Index DenseOptimizer::state_size(const Settings& settings, Index size) {
  return std::ssize(states(settings.type)) * size;
}

DenseOptimizer::DenseOptimizer(const Exec& exec, const Settings& settings, Index size, float* memory,
                               std::vector<Range> tensors, Place place)
    : settings_(settings), place_(place), tensors_(std::move(tensors)) {
  assert(memory == nullptr || place == Place::host);
  if (!info(settings.type).moves_tensors())
    fail("optimizer \"", info(settings.type).name, "\" is for embedding tables only; for the dense half, use one of ",
         join(tensor_types(), ", ", &TypeInfo::name));
  if (tensors_.empty()) tensors_ = {{0, size}};
  const float start = settings.type == Type::adagrad ? float(settings.initial_accumulator) : 0.0f;
  for (const StateInfo& info : states(settings.type)) {
    const PlacedVector<float> values = memory == nullptr
                                           ? PlacedVector<float>(exec, place, "tesserec::optim::" + info.name, size)
                                           : Vector<float>(memory, size);
    if (memory != nullptr) memory += size;
    values.fill(exec, "tesserec::optim::start", start);
    state_.push_back({info.name, values});
  }
  wait(exec);
}

void DenseOptimizer::step(const Exec& exec, const PlacedVector<float>& parameters, const PlacedVector<float>& gradient,
                          double lr, Index step, Range range, float scale) {
  assert(range.end <= std::ssize(parameters) && gradient.size() == parameters.size());
  assert(parameters.place() == place_ && gradient.place() == place_);
  const StepScalars scalars = step_scalars(settings_, lr, step);
  float* const w = parameters.data();
  const float* const g = gradient.data();
  if (place_ == Place::device) {
    const float bound = settings_.max_gradient == 0.0 ? std::numeric_limits<float>::infinity() : settings_.max_gradient;
    const States states = states_from(0);
    const DeviceMove move{scalars, w, g, states[0], states[1], scale, bound};
    if (scalars.elementwise) return move_on(device_of(exec), move, range);
    for (const Range& tensor : tensors_)
      if (range.contains(tensor.begin)) move_tensor_on(device_of(exec), move, tensor, sums_);
    return;
  }
  if (!scalars.elementwise) return move_tensors(exec, scalars, w, g, range, scale);
  const States first_states = states_from(0);
  const float bound = settings_.max_gradient;
  over_blocks(exec, "tesserec::optim::move", range, [=](Index begin, Index n) {
    States states = first_states;
    for (float*& state : states)
      if (state != nullptr) state += begin;
    if (bound == 0.0f && scale == 1.0f) return move(scalars, w + begin, g + begin, states, n);
    std::vector<float> limited(n);
    limit(scale, bound, g + begin, limited.data(), n);
    move(scalars, w + begin, limited.data(), states, n);
  });
}

States DenseOptimizer::states_from(Index begin) const {
  States states{};
  for (std::size_t i = 0; i < state_.size(); ++i) states[i] = state_[i].values.data() + begin;
  return states;
}

void DenseOptimizer::move_tensors(const Exec& exec, const StepScalars& scalars, float* weights, const float* gradient,
                                  Range range, float scale) {
  parallel_for(exec, "tesserec::optim::move_tensors", std::ssize(tensors_), [&](Index t) {
    const auto [begin, end] = tensors_[t];
    if (!range.contains(begin)) return;
    const float* g = gradient + begin;
    std::vector<float> limited;
    if (settings_.max_gradient != 0.0 || scale != 1.0f) {
      limited.resize(end - begin);
      limit(scale, float(settings_.max_gradient), g, limited.data(), end - begin);
      g = limited.data();
    }
    move_row(scalars, {weights + begin, g, states_from(begin), {0, end - begin}, end - begin});
  });
}

}  // namespace tesserec::optim
