// SPDX-License-Identifier: Apache-2.0
#include "chain.hpp"

#include <algorithm>

namespace tesserec::model {
namespace {

/// Rows [real, rows) of a matrix of `width` columns become 0.
void clear_padding(float* matrix, Index real, Index rows, Index width) {
  std::fill(matrix + real * width, matrix + rows * width, 0.0f);
}

template <class Body>  // body(first sample, real samples, rows of the chunk)
void over_chunks(Range samples, const Body& body) {
  const Index rows = chunk_size(samples.size());
  for (Index first = samples.begin; first < samples.end; first += rows)
    body(first, std::min(rows, samples.end - first), rows);
}

}  // namespace

ChainWorker::ChainWorker(const Exec& exec, const Chain& chain)
    : chain_(chain),
      bottom_(chain.bottom.make_workspace(exec, chunk_samples)),
      top_(chain.top.make_workspace(exec, chunk_samples)),
      x_(make_vector<float>(exec, "tesserec::model::dense_chunk",
                            chunk_samples * chain.bottom.input_width())),
      crossed_(
          make_vector<float>(exec, "tesserec::model::crossed", chunk_samples * chain.interaction.width())),
      scratch_(
          make_vector<float>(exec, "tesserec::model::interaction_scratch", chain.interaction.scratch())) {}

const float* ChainWorker::forward(const float* parameters, const ChainData& data, Index first, Index real,
                                  Index rows) {
  const Index width = chain_.bottom.input_width();
  std::copy_n(data.dense + first * width, real * width, x_.data());
  clear_padding(x_.data(), real, rows, width);
  const float* z0 = chain_.bottom.forward(products_, rows, parameters, x_.data(), bottom_);
  const float* pooled = data.pooled + first * chain_.interaction.pooled_width();
  chain_.interaction.forward(real, z0, pooled, crossed_.data(), scratch_.data());
  clear_padding(crossed_.data(), real, rows, chain_.interaction.width());
  return chain_.top.forward(products_, rows, parameters, crossed_.data(), top_);
}

void ChainWorker::judge(const ChainData& data, const float* logits, Index first, Index real, Index rows,
                        double& loss) {
  float* gradient = top_.gradients.back().data();
  dense::loss_and_gradient(chain_.loss, real, data.global_size, logits, data.labels + first, loss, gradient);
  clear_padding(gradient, real, rows, 1);
}

double ChainWorker::forward_backward(const float* parameters, const ChainData& data, Range samples,
                                     float* gradient) {
  double loss = 0.0;
  over_chunks(samples, [&](Index first, Index real, Index rows) {
    const bool add = first != samples.begin;
    judge(data, forward(parameters, data, first, real, rows), first, real, rows, loss);
    const float* upstream =
        chain_.top.backward(products_, rows, parameters, crossed_.data(), add, gradient, true, top_);
    const Index at = first * chain_.interaction.pooled_width();
    float* bottom_gradient = bottom_.gradients.back().data();
    chain_.interaction.backward(real, bottom_.outputs.back().data(), data.pooled + at, upstream,
                                bottom_gradient, data.pooled_gradient + at, scratch_.data());
    clear_padding(bottom_gradient, real, rows, chain_.bottom.output_width());
    chain_.bottom.backward(products_, rows, parameters, x_.data(), add, gradient, false, bottom_);
  });
  return loss;
}

double ChainWorker::predict(const float* parameters, const ChainData& data, Range samples) {
  double loss = 0.0;
  over_chunks(samples, [&](Index first, Index real, Index rows) {
    const float* logits = forward(parameters, data, first, real, rows);
    for (Index i = 0; i < real; ++i)
      data.probabilities[first + i] = static_cast<float>(dense::probability(chain_.loss, logits[i]));
    if (data.labels != nullptr) judge(data, logits, first, real, rows, loss);
  });
  return loss;
}

}  // namespace tesserec::model
