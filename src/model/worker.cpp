// SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include <algorithm>

#include <tesserec/core/kernel.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::model {
namespace {

template <class Body>  // body(first sample, samples of the chunk)
void over_chunks(Range samples, const Body& body) {
  for (Index first = samples.begin; first < samples.end; first += chunk_samples)
    body(first, std::min(chunk_samples, samples.end - first));
}

TESSEREC_KERNEL void add(Index n, const float* from, float* to) {
  for (Index i = 0; i < n; ++i) to[i] += from[i];
}

/// Returns a sequence from sample `first` on.
dense::Rows<float> sequence(const jagged::JaggedVectors& all, Index first) {
  const auto dim = Index(all.values.extent(1));
  return {all.values.data(), dim, dim, all.offsets.data() + first};
}

Vector<float> zeros(const Exec& exec, Index size) {
  Vector<float> made = make_vector<float>(exec, "tesserec::model::activations", size);
  std::fill_n(made.data(), size, 0.0f);
  return made;
}

}  // namespace

Worker::Worker(const Exec& exec, const Graph& graph, const PackedWeights& weights, const dense::LossFunction& loss)
    : graph_(graph), weights_(weights), loss_(loss) {
  Index most = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Graph::Node& node = graph.nodes()[n];
    Activations& own = layers_.emplace_back();
    const Index width = node.layer->width();
    const auto what = [&] { return concat("the activations of layer ", graph.layers()[n].settings.name); };
    with_memory(what, 2.0 * chunk_samples * double(width) * sizeof(float), [&] {
      own.workspace = node.layer->make_workspace(exec, chunk_samples);
      own.output = zeros(exec, chunk_samples * width);
      own.gradient = zeros(exec, chunk_samples * width);
    });
    own.inputs.resize(node.inputs.size());
    own.input_gradients.resize(node.inputs.size());
    Index added = 0;
    for (const Graph::Input& input : node.inputs)
      if (input.gradient == Graph::Gradient::add) added += input.columns.size();
    most = std::max(most, added);
  }
  added_ = zeros(exec, chunk_samples * most);
  loss_scratch_ = zeros(exec, loss.scratch(chunk_samples, graph.nodes().back().layer->width()));
}

dense::Layer::Chunk Worker::chunk(std::size_t n, const float* parameters, const RankData& data, Index first,
                                  Index rows) const {
  const Graph::Node& node = graph_.nodes()[n];
  dense::Layer::Draw draw = data.draw;
  draw.layer = Index(n);
  draw.first_sample += first;
  return {
      rows, layers_[n].inputs, parameters + node.parameters, weights_.data() + node.packed, layers_[n].workspace.get(),
      draw};
}

dense::Rows<const float> Worker::rows_of(const Graph::Input& input, const RankData& data, Index first) const {
  const Index width = input.columns.size();
  const auto part_of = [&](const float* all, Index stride) {
    return dense::Rows<const float>{all + first * stride + input.columns.begin, width, stride};
  };
  switch (input.from) {
    case Graph::From::dense:
      return part_of(data.dense, graph_.dense_features());
    case Graph::From::pooled:
      return part_of(data.pooled, graph_.pooled_width());
    case Graph::From::unpooled:
      return sequence(data.unpooled[input.layer], first);
    case Graph::From::layer:
      break;
  }
  return {layers_[input.layer].output.data(), width, width};
}

dense::LossFunction::Chunk Worker::forward(const float* parameters, const RankData& data, Index first, Index rows) {
  for (std::size_t n = 0; n < layers_.size(); ++n) {
    const Graph::Node& node = graph_.nodes()[n];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      layers_[n].inputs[i] = rows_of(node.inputs[i], data, first);
    }
    const Index width = node.layer->width();
    node.layer->forward(chunk(n, parameters, data, first, rows), {layers_[n].output.data(), width, width});
  }
  const Index width = graph_.nodes().back().layer->width();
  const float* const labels = data.labels == nullptr ? nullptr : data.labels + first;
  const float* const weights = data.weights == nullptr ? nullptr : data.weights + first;
  const dense::Rows<const float> output{layers_.back().output.data(), width, width};
  return {rows, data.global_size, output, labels, weights, loss_scratch_.data()};
}

dense::Rows<float> Worker::last_gradient() {
  const Index width = graph_.nodes().back().layer->width();
  return {layers_.back().gradient.data(), width, width};
}

dense::Rows<float> Worker::place(const Graph::Input& input, const RankData& data, Index first) const {
  const Index width = input.columns.size();
  if (input.from == Graph::From::unpooled) return sequence(data.unpooled_gradient[input.layer], first);
  if (input.from == Graph::From::layer) return {layers_[input.layer].gradient.data(), width, width};
  const Index stride = graph_.pooled_width();
  return {data.pooled_gradient + first * stride + input.columns.begin, width, stride};
}

void Worker::backward(const float* parameters, const RankData& data, Index first, Index rows, bool add_chunk,
                      float* gradient) {
  for (const Range& columns : graph_.cleared())
    for (Index r = first; r < first + rows; ++r)
      std::fill_n(data.pooled_gradient + r * graph_.pooled_width() + columns.begin, columns.size(), 0.0f);
  for (std::size_t n = layers_.size(); n-- > 0;) {
    const Graph::Node& node = graph_.nodes()[n];
    Activations& own = layers_[n];
    float* next = added_.data();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Graph::Input& input = node.inputs[i];
      const Index width = input.columns.size();
      own.input_gradients[i] = {nullptr, width, width};
      if (input.gradient == Graph::Gradient::write) own.input_gradients[i] = place(input, data, first);
      if (input.gradient != Graph::Gradient::add) continue;
      own.input_gradients[i].data = next;
      next += rows * width;
    }
    const Index width = node.layer->width();
    node.layer->backward(chunk(n, parameters, data, first, rows), {own.output.data(), width, width},
                         {own.gradient.data(), width, width}, own.input_gradients, add_chunk,
                         gradient + node.parameters);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].gradient != Graph::Gradient::add) continue;
      const dense::Rows<float> to = place(node.inputs[i], data, first), from = own.input_gradients[i];
      for (Index r = 0; r < rows; ++r) add(from.width, from[r], to[r]);
    }
  }
}

void Worker::write_probabilities(const dense::LossFunction::Chunk& chunk, float* to) const {
  for (Index i = 0; i < chunk.rows; ++i) to[i] = loss_.prediction(chunk.out[i], chunk.out.width);
}

double Worker::forward_backward(const float* parameters, const RankData& data, Range samples, float* gradient) {
  double loss = 0.0;
  over_chunks(samples, [&](Index first, Index rows) {
    const dense::LossFunction::Chunk chunk = forward(parameters, data, first, rows);
    if (data.probabilities != nullptr) write_probabilities(chunk, data.probabilities + first);
    loss_.evaluate(chunk, loss, last_gradient());
    backward(parameters, data, first, rows, first != samples.begin, gradient);
  });
  return loss;
}

double Worker::predict(const float* parameters, const RankData& data, Range samples) {
  double loss = 0.0;
  over_chunks(samples, [&](Index first, Index rows) {
    const dense::LossFunction::Chunk chunk = forward(parameters, data, first, rows);
    write_probabilities(chunk, data.probabilities + first);
    for (std::size_t side = 0; data.towers != nullptr && side < 2; ++side) {
      const dense::Rows<const float>& tower = layers_.back().inputs[side];
      copy_rows(rows, tower, {data.towers + (2 * first + Index(side)) * tower.width, tower.width, 2 * tower.width});
    }
    if (data.labels != nullptr) loss_.evaluate(chunk, loss, last_gradient());
  });
  return loss;
}

}  // namespace tesserec::model
