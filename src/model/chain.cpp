// SPDX-License-Identifier: Apache-2.0
#include "chain.hpp"

#include <algorithm>

#include <tesserec/core/lanes.hpp>

namespace tesserec::model {
namespace {

template <class Body>  // body(first sample, samples of the chunk)
void over_chunks(Range samples, const Body& body) {
  for (Index first = samples.begin; first < samples.end; first += chunk_samples)
    body(first, std::min(chunk_samples, samples.end - first));
}

}  // namespace

void Chain::share_weights(const comm::Node& node) {
  // The panels' width is that of the instruction set.
  const bool alike = node.ranks().broadcast(dense::instruction_set(), 0) == dense::instruction_set();
  if (node.ranks().size() == 1 || node.ranks().min(alike ? 1 : 0) == 0) return;
  memory_ = comm::NodeMemory(node.ranks(), bottom.packed_size() + top.packed_size());
  if (!memory_) return;
  node_ = &node;
  bottom_weights = bottom.place(memory_.data());
  top_weights = top.place(memory_.data() + bottom.packed_size());
}

void Chain::pack(const Exec& exec, const float* parameters, bool backward) {
  const Range part = node_ != nullptr ? node_->share(parameters_) : Range{0, parameters_};  // what this rank has moved
  if (node_ != nullptr) node_->ranks().barrier();  // nobody reads the last ones any more
  bottom.pack(exec, parameters, backward, bottom_weights, part);
  top.pack(exec, parameters, backward, top_weights, part);
  if (node_ != nullptr) node_->ranks().barrier();
}

ChainWorker::ChainWorker(const Exec& exec, const Chain& chain)
    : chain_(chain),
      bottom_(chain.bottom.make_workspace(exec, chunk_samples)),
      top_(chain.top.make_workspace(exec, chunk_samples)),
      crossed_(make_vector<float>(exec, "tesserec::model::crossed", chunk_samples * chain.interaction.width())),
      scratch_(make_vector<float>(exec, "tesserec::model::interaction_scratch", chain.interaction.scratch())) {}

const float* ChainWorker::forward(const ChainData& data, Index first, Index rows) {
  const float* x = data.dense + first * chain_.bottom.input_width();
  const float* z0 = chain_.bottom.forward(rows, chain_.bottom_weights, x, bottom_);
  const float* pooled = data.pooled + first * chain_.interaction.pooled_width();
  chain_.interaction.forward(rows, z0, pooled, crossed_.data(), scratch_.data());
  return chain_.top.forward(rows, chain_.top_weights, crossed_.data(), top_);
}

double ChainWorker::forward_backward(const ChainData& data, Range samples, float* gradient) {
  double loss = 0.0;
  over_chunks(samples, [&](Index first, Index rows) {
    const bool add = first != samples.begin;
    const float* logits = forward(data, first, rows);
    dense::loss_and_gradient(chain_.loss, rows, data.global_size, logits, data.labels + first, loss,
                             top_.output_gradient.data());
    const float* upstream = chain_.top.backward(rows, chain_.top_weights, add, gradient, true, top_);
    const Index at = first * chain_.interaction.pooled_width();
    chain_.interaction.backward(rows, bottom_.output.data(), data.pooled + at, upstream, bottom_.output_gradient.data(),
                                data.pooled_gradient + at, scratch_.data());
    chain_.bottom.backward(rows, chain_.bottom_weights, add, gradient, false, bottom_);
  });
  return loss;
}

double ChainWorker::predict(const ChainData& data, Range samples) {
  double loss = 0.0;
  over_chunks(samples, [&](Index first, Index rows) {
    const float* logits = forward(data, first, rows);
    for (Index i = 0; i < rows; ++i) data.probabilities[first + i] = dense::probability(chain_.loss, logits[i]);
    if (data.labels != nullptr)
      dense::loss_and_gradient(chain_.loss, rows, data.global_size, logits, data.labels + first, loss,
                               top_.output_gradient.data());
  });
  return loss;
}

}  // namespace tesserec::model
