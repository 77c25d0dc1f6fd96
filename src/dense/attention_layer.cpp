// SPDX-License-Identifier: Apache-2.0
// The local activation unit of the deep interest network (Zhou et al., KDD 2018, arXiv 1706.06978). Of a target t and a
// sequence h_1, h_2, ... of vectors as wide:
//   s_j = mlp([t, h_j, t - h_j, t * h_j]);   y = sum_j a_j h_j
// with a = s as in the paper, or a = softmax(s / sqrt(width)). The MLP takes the vectors of a chunk's samples in blocks
// of as many as a chunk has samples; the way back makes each block's activations once more, so that these stay small.
#include <cmath>

#include "device_layers.hpp"
#include "layer_formulas.hpp"
#include "layers.hpp"
#include "vectors.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::dense {
namespace {

TESSEREC_KERNEL void meet(Index n, const float* t, const float* h, float* x) {
  for (Index i = 0; i < n; ++i) dense::meet(n, i, t[i], h[i], x);
}
TESSEREC_KERNEL void part(Index n, const float* t, const float* h, const float* dx, float* dt, float* dh) {
  for (Index i = 0; i < n; ++i) dense::part(n, i, t[i], h[i], dx, dt[i], dh[i]);
}
/// The gradient of a -> that of the scores, in place.
TESSEREC_KERNEL void softmax_back(Index n, float scale, const float* a, float* d) { softmax_back_of(n, scale, a, d); }

class Attention final : public Layer {
 public:
  Attention(std::unique_ptr<Layer> mlp, Index dim, bool softmax, double length)
      : mlp_(std::move(mlp)), dim_(dim), scale_(softmax ? 1.0f / std::sqrt(float(dim)) : 0.0f), length_(length) {
    for (const Parameter& tensor : mlp_->parameters())
      add_parameter(tensor.name, tensor.rows, tensor.columns, tensor.start);
  }

  Index width() const override { return dim_; }
  std::string describe() const override {
    return concat(mlp_->describe(), " of each vector of ", dim_, scale_ > 0 ? ", softmax" : "");
  }
  Flops flops() const override {  // those of blocks that are made once more do not count
    const Flops mlp = mlp_->flops();
    const double sums = 2.0 * double(dim_);
    return {length_ * (mlp.forward + sums), length_ * (mlp.inputs + 2 * sums), length_ * mlp.backward};
  }

  Index packed_size() const override { return mlp_->packed_size(); }
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range part) const override {
    mlp_->pack(exec, parameters, backward, packed, part);
  }
  std::unique_ptr<Workspace> make_workspace(const Exec& exec, Index rows) const override {
    auto made = std::make_unique<Block>();
    made->most = rows;
    made->mlp = mlp_->make_workspace(exec, rows);
    for (std::vector<float>* x : {&made->x, &made->dx}) x->resize(rows * 4 * dim_);
    made->again.resize(rows);
    made->to_target.resize(dim_);
    return made;
  }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    const Rows<const float> history = chunk.inputs[1];
    Block& own = block(chunk);
    const Range all = vectors(chunk);
    own.weights.resize(all.size());
    over_blocks(chunk, [&](Range ids) { score(chunk, ids, own.weights.data() + (ids.begin - all.begin)); });
    for (Index r = 0; r < chunk.rows; ++r) {
      const Range ids{history.offsets[r], history.offsets[r + 1]};
      float* const a = own.weights.data() + (ids.begin - all.begin);
      if (scale_ > 0 && ids.size() > 0) softmax(ids.size(), scale_, a);
      std::fill_n(out[r], dim_, 0.0f);
      for (Index j = ids.begin; j < ids.end; ++j) add_scaled(dim_, a[j - ids.begin], history[j], out[r]);
    }
  }

  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool add, float* gradient) const override {
    const Rows<const float> target = chunk.inputs[0], history = chunk.inputs[1];
    const Rows<float> to_target = input_gradients[0], to_history = input_gradients[1];
    Block& own = block(chunk);
    const Range all = vectors(chunk);
    own.slopes.resize(all.size());
    for (Index r = 0; r < chunk.rows; ++r) {
      const Range ids{history.offsets[r], history.offsets[r + 1]};
      const float* const a = own.weights.data() + (ids.begin - all.begin);
      float* const d = own.slopes.data() + (ids.begin - all.begin);
      for (Index j = ids.begin; j < ids.end; ++j) {
        d[j - ids.begin] = inner_product(dim_, upstream[r], history[j]);
        scale(dim_, a[j - ids.begin], upstream[r], to_history[j]);
      }
      if (scale_ > 0) softmax_back(ids.size(), scale_, a, d);
      if (to_target.data != nullptr) std::fill_n(to_target[r], dim_, 0.0f);
    }
    if (all.size() == 0 && !add) std::fill_n(gradient, size(), 0.0f);
    const bool alone = all.size() <= own.most;  // the activations of the way there still stand
    Index r = 0;
    over_blocks(chunk, [&](Range ids) {
      if (!alone) score(chunk, ids, own.again.data());
      const Rows<float> dx{own.dx.data(), 4 * dim_, 4 * dim_};
      const Rows<const float> slopes{own.slopes.data() + (ids.begin - all.begin), 1, 1};
      mlp_->backward(part_of(chunk, ids.size(), own.view), {}, slopes, {&dx, 1}, add || ids.begin > all.begin,
                     gradient);
      for (Index j = ids.begin; j < ids.end; ++j) {
        while (j >= history.offsets[r + 1]) ++r;
        part(dim_, target[r], history[j], dx[j - ids.begin],
             to_target.data != nullptr ? to_target[r] : own.to_target.data(), to_history[j]);
      }
    });
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts& products) const override {
    return attention_on_device(mlp_->on_device(products), dim_, scale_);
  }

 private:
  struct Block : Workspace {
    Index most = 0;  // vectors
    std::unique_ptr<Workspace> mlp;
    std::vector<float> x, dx;      // [most, 4 dim]
    std::vector<float> weights;    // a, of the chunk's vectors
    std::vector<float> slopes;     // and the gradient of their scores
    std::vector<float> again;      // [most] scores of a block that is made once more
    std::vector<float> to_target;  // [dim] for nobody
    Rows<const float> view;        // of x
  };
  static Block& block(const Chunk& chunk) { return *static_cast<Block*>(chunk.workspace); }
  static Range vectors(const Chunk& chunk) { return {chunk.inputs[1].offsets[0], chunk.inputs[1].offsets[chunk.rows]}; }
  template <class Body>  // body(vectors of a block)
  void over_blocks(const Chunk& chunk, const Body& body) const {
    const Range all = vectors(chunk);
    for (Index at = all.begin; at < all.end; at += block(chunk).most)
      body(Range{at, std::min(all.end, at + block(chunk).most)});
  }
  Chunk part_of(const Chunk& chunk, Index rows, const Rows<const float>& x) const {
    return {rows, {&x, 1}, chunk.parameters, chunk.packed, block(chunk).mlp.get(), chunk.draw};
  }
  void score(const Chunk& chunk, Range ids, float* scores) const {
    Block& own = block(chunk);
    const Rows<const float> target = chunk.inputs[0], history = chunk.inputs[1];
    Index r = 0;
    for (Index j = ids.begin; j < ids.end; ++j) {
      while (j >= history.offsets[r + 1]) ++r;
      meet(dim_, target[r], history[j], own.x.data() + (j - ids.begin) * 4 * dim_);
    }
    own.view = {own.x.data(), 4 * dim_, 4 * dim_};
    mlp_->forward(part_of(chunk, ids.size(), own.view), {scores, 1, 1});
  }

  std::unique_ptr<Layer> mlp_;
  Index dim_;
  float scale_;  // of the softmax; 0 = there is none
  double length_;
};

}  // namespace

std::unique_ptr<Layer> make_attention(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 2 || inputs[0].sequence || !inputs[1].sequence)
    fail("attention has two inputs: the target, and then a sequence, as in [\"pooled.ITEM\", \"unpooled.HISTORY\"]");
  const Index dim = inputs[1].width();
  if (inputs[0].width() != dim)
    fail("the target of an attention is as wide as the sequence's vectors, but ", inputs[0].name(), " has ",
         inputs[0].width(), " numbers and ", inputs[1].name(), " has ", dim);
  LayerSettings mlp = settings;
  if (mlp.activations.empty()) mlp.activations = {Activation::sigmoid};
  if (mlp.activations.size() == 1) mlp.activations.resize(settings.widths.size(), mlp.activations[0]);
  if (mlp.activations.size() != settings.widths.size())
    fail("activations has ", mlp.activations.size(), " entries for ", settings.widths.size(),
         " linear layers; give one for each of widths, or one for all");
  mlp.widths.push_back(1);
  mlp.activations.push_back(Activation::none);
  return std::make_unique<Attention>(make_mlp(mlp, {{{4 * dim}}}), dim, settings.softmax, inputs[1].length);
}

}  // namespace tesserec::dense
