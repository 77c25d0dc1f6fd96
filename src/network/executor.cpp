// SPDX-License-Identifier: Apache-2.0
#include "executor.hpp"

#include <algorithm>

#include <tesserec/core/lanes.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::network {

Executor::Executor(const Graph& graph, const losses::LossFunction& loss, std::unique_ptr<products::Products> products)
    : graph_(graph),
      loss_(loss),
      products_(std::move(products)),
      loss_workspace_(loss.make_workspace()),
      layers_(graph.nodes().size()) {
  for (std::size_t n = 0; n < layers_.size(); ++n) layers_[n].workspace = graph.nodes()[n].layer->make_workspace();
}

layers::LayerInput Executor::value_of(const Graph::Input& input) const {
  const Index width = input.columns.size();
  if (input.from == Graph::From::layer)
    return {rows_of(input.layer, layers_[input.layer].output), layers_[input.layer].lengths};
  if (input.from == Graph::From::unpooled) {
    const SequenceData& all = data_->sequences[input.layer];
    const Index begin = all.on_host[first_], end = all.on_host[first_ + rows_];
    const Rows<const float> values{all.values[begin], width, width};
    return {values, {all.offsets + first_, all.on_host + first_, begin, end - begin}};
  }
  const bool is_dense = input.from == Graph::From::dense;
  const Index stride = is_dense ? graph_.dense_features() : graph_.pooled_width();
  return {{(is_dense ? data_->dense : data_->pooled) + first_ * stride + input.columns.begin, width, stride}};
}

Rows<float> Executor::gradient_of(const Graph::Input& input) const {
  const Index width = input.columns.size(), stride = graph_.pooled_width();
  if (input.from == Graph::From::layer) return rows_of(input.layer, layers_[input.layer].gradient);
  if (input.from == Graph::From::pooled)
    return {data_->pooled_gradient + first_ * stride + input.columns.begin, width, stride};
  const SequenceData& all = data_->sequences[input.layer];
  return {all.gradient[all.on_host[first_]], width, width};
}

layers::Layer::Batch Executor::batch(std::size_t n, Index rows, const Pieces& chunks) const {
  const Graph::Node& node = graph_.nodes()[n];
  layers::Layer::Draw draw = data_->draw;
  draw.layer = Index(n);
  draw.first_sample += first_;
  return {rows,
          chunks,
          layers_[n].inputs,
          data_->parameters + node.parameters,
          data_->packed + node.packed,
          products_.get(),
          layers_[n].workspace.get(),
          draw};
}

losses::LossFunction::Batch Executor::loss_batch() const {
  const auto from = [&](const float* all, Index width) { return all == nullptr ? nullptr : all + first_ * width; };
  return {rows_,
          data_->global_size,
          chunks_,
          rows_of(layers_.size() - 1, layers_.back().output),
          from(data_->labels, data_->tasks),
          from(data_->weights, 1),
          loss_workspace_.get(),
          data_->tasks,
          data_->task_scales};
}

void Executor::forward_once(const Where& where, std::size_t n) {
  const Rows<float> out = rows_of(n, layers_[n].output);
  const OnePiece one(1);
  graph_.nodes()[n].layer->forward(where, batch(n, 1, one.pieces()), out);
  for (Index row = 1; row < rows_; ++row) std::copy_n(out.data, out.width, out[row]);
}

void Executor::forward(const Where& where, const BatchData& data, Index first, Index rows, const Pieces& chunks) {
  data_ = &data;
  first_ = first;
  rows_ = rows;
  chunks_ = chunks;
  for (std::size_t n = 0; n < layers_.size(); ++n) {
    const Graph::Node& node = graph_.nodes()[n];
    Activations& own = layers_[n];
    own.inputs.clear();
    for (const Graph::Input& input : node.inputs) {
      own.inputs.push_back(value_of(input));
      if (node.layer->gives_sequence() && own.inputs.back().is_sequence()) own.lengths = own.inputs.back().lengths;
    }
    // A thread reserves the buffers of a whole chunk at once.
    const Index vectors = where.is_thread() && own.lengths.offsets == nullptr ? chunk_samples : count(own.lengths);
    const Index size = vectors * width(n);
    const auto purpose = [&] { return concat("the activations of layer ", graph_.layers()[n].settings.name); };
    with_memory(purpose, 2.0 * double(size) * sizeof(float), [&] {
      own.output.reserve(where, "tesserec::network::activations", size);
      own.gradient.reserve(where, "tesserec::network::activations", size);
      if (!data.same.empty() && data.same[n] != 0) return forward_once(where, n);
      node.layer->forward(where, batch(n, rows_, chunks_), rows_of(n, own.output));
    });
  }
}

void Executor::predict(const Where& where, float* probabilities) const {
  loss_.predict(where, rows_, loss_batch().out, probabilities);
}

void Executor::evaluate(const Where& where, double* losses) {
  loss_.evaluate(where, loss_batch(), losses, rows_of(layers_.size() - 1, layers_.back().gradient));
}

void Executor::backward(const Where& where, LaneGradients gradient) {
  const Index stride = graph_.pooled_width();
  for (const Range& columns : graph_.cleared())
    clear_rows(where, rows_, {data_->pooled_gradient + first_ * stride + columns.begin, columns.size(), stride});
  for (std::size_t n = layers_.size(); n-- > 0;) backward(where, n, gradient.from(graph_.nodes()[n].parameters));
}

void Executor::backward(const Where& where, std::size_t n, LaneGradients gradient) {
  using enum Graph::Gradient;
  const Graph::Node& node = graph_.nodes()[n];
  Activations& own = layers_[n];
  Index added = 0;  // floats
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i].gradient == add) added += count(own.inputs[i].lengths) * own.inputs[i].width;
  float* next = added_.reserve(where, "tesserec::network::activations", added);
  own.input_gradients.clear();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Index width = own.inputs[i].width;
    Rows<float>& to = own.input_gradients.emplace_back(Rows<float>{nullptr, width, width});
    if (node.inputs[i].gradient == write) to = gradient_of(node.inputs[i]);
    if (node.inputs[i].gradient != add) continue;
    to.data = next;
    next += count(own.inputs[i].lengths) * width;
  }
  const auto purpose = [&] { return concat("gradients of layer ", graph_.layers()[n].settings.name); };
  with_memory(purpose, double(rows_ * width(n)) * sizeof(float), [&] {
    node.layer->backward(where, batch(n, rows_, chunks_), rows_of(n, own.output), rows_of(n, own.gradient),
                         own.input_gradients, gradient);
  });
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i].gradient == add)
      add_rows(where, count(own.inputs[i].lengths), own.input_gradients[i], gradient_of(node.inputs[i]));
}

}  // namespace tesserec::network
