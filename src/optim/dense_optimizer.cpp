// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/optim/dense_optimizer.hpp>

namespace tesserec::optim {
namespace {

constexpr Index block = 16384;  // weights a thread takes at once

template <class Body>
void over_blocks(const Exec& exec, const std::string& label, Range part, const Body& body) {
  parallel_for(exec, label, (part.size() + block - 1) / block, [part, body](Index b) noexcept {
    const Index begin = part.begin + b * block;
    body(begin, std::min(block, part.end - begin));
  });
}

}  // namespace

Index DenseOptimizer::state_size(const Settings& settings, Index size) {
  return std::ssize(states(settings.type)) * size;
}

DenseOptimizer::DenseOptimizer(const Exec& exec, const Settings& settings, Index size, float* memory,
                               std::vector<Range> tensors)
    : settings_(settings), tensors_(std::move(tensors)) {
  if (!info(settings.type).moves_tensors())
    fail(info(settings.type).name, " is for embedding tables; the dense optimizers are ",
         join(tensor_types(), ", ", &TypeInfo::name));
  if (tensors_.empty()) tensors_ = {{0, size}};
  const float start = settings.type == Type::adagrad ? float(settings.initial_accumulator) : 0.0f;
  for (const StateInfo& info : states(settings.type)) {
    const Vector<float> values = memory == nullptr ? make_vector<float>(exec, "tesserec::optim::" + info.name, size)
                                                   : Vector<float>(memory, size);
    if (memory != nullptr) memory += size;
    over_blocks(exec, "tesserec::optim::start", {0, size},
                [to = values.data(), start](Index begin, Index n) { std::fill_n(to + begin, n, start); });
    state_.push_back({info.name, values});
  }
  exec.fence();
}

void DenseOptimizer::step(const Exec& exec, const Vector<float>& parameters, const Vector<float>& gradient, double lr,
                          Index step, Range part, float scale) {
  assert(part.end <= Index(parameters.extent(0)));
  assert(gradient.extent(0) == parameters.extent(0));
  const StepScalars scalars = step_scalars(settings_, lr, step);
  if (!scalars.elementwise) return move_tensors(exec, scalars, parameters.data(), gradient.data(), part, scale);
  const States all = states_from(0);
  const float most = settings_.max_gradient;
  over_blocks(exec, "tesserec::optim::move", part,
              [=, w = parameters.data(), g = gradient.data()](Index begin, Index n) {
                States states = all;
                for (float*& state : states)
                  if (state != nullptr) state += begin;
                if (most == 0.0f && scale == 1.0f) return move(scalars, w + begin, g + begin, states, n);
                std::vector<float> limited(n);
                limit(scale, most, g + begin, limited.data(), n);
                move(scalars, w + begin, limited.data(), states, n);
              });
}

States DenseOptimizer::states_from(Index begin) const {
  States states{};
  for (std::size_t i = 0; i < state_.size(); ++i) states[i] = state_[i].values.data() + begin;
  return states;
}

void DenseOptimizer::move_tensors(const Exec& exec, const StepScalars& scalars, float* weights, const float* gradient,
                                  Range part, float scale) {
  parallel_for(exec, "tesserec::optim::move_tensors", std::ssize(tensors_), [&](Index t) {
    const auto [begin, end] = tensors_[t];
    if (!part.contains(begin)) return;
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
