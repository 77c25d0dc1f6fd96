// SPDX-License-Identifier: Apache-2.0
// Layers over a whole batch in device memory against the same layers chunk by chunk: every bit is the same.
#include <cstring>
#include <vector>

#include "catch.hpp"
#include "closed_memory.hpp"
#include "device_copies.hpp"
#include "left_out.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/layers.hpp>
#include <tesserec/products.hpp>

using namespace tesserec;
using namespace tesserec::layers;

namespace {

std::vector<float> numbers(Index n, Index column) {
  const Random random(21, Purpose::test);
  std::vector<float> made;
  for (Index i = 0; i < n; ++i) made.push_back(random.normal(i, column));
  return made;
}

struct Case {
  LayerSettings settings;
  std::vector<InputShape> inputs;
};

/// The outputs and gradients of a layer for a batch cut in lanes.
struct Result {
  std::vector<float> out;
  std::vector<std::vector<float>> input_gradients;
  std::vector<float> gradient;  // [lanes, size]

  friend bool same(const Result& a, const Result& b) {
    const auto alike = [](const std::vector<float>& x, const std::vector<float>& y) {
      return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0);
    };
    bool is_same = alike(a.out, b.out) && alike(a.gradient, b.gradient);
    for (std::size_t i = 0; i < a.input_gradients.size(); ++i)
      is_same = is_same && alike(a.input_gradients[i], b.input_gradients[i]);
    return is_same;
  }
};

/// The kind of numbers. Products of tiny numbers underflow to +0 or -0; a sum of cancelling numbers depends on its
/// order.
struct Numbers {
  float scale = 1.0f;
  bool cancelling = false;
};

class LayerPair {
 public:
  LayerPair(Case c, Index rows, std::vector<Index> lane_borders, Numbers kind = {})
      : case_(std::move(c)), rows_(rows), borders_(std::move(lane_borders)) {
    case_.settings.inputs.resize(case_.inputs.size());
    layer_ = make_layer(case_.settings, case_.inputs);
    parameters_ = numbers(layer_->size(), 0);
    for (float& w : parameters_) w *= 0.125f;
    const Random random(22, Purpose::test);
    offsets_.push_back(0);  // up to 5 vectors a sample; some hundred samples, whole chunks among them, have none
    for (Index r = 0; r < rows; ++r)
      offsets_.push_back(offsets_.back() + (r / 128 % 3 == 1 ? 0 : Index(random.below(6, r, 0))));
    for (std::size_t i = 0; i < case_.inputs.size(); ++i) {
      const InputShape& shape = case_.inputs[i];
      const Index rows_of_input = shape.sequence ? offsets_.back() : rows;
      stride_.push_back(shape.sequence ? shape.width() : shape.width() + 3);
      inputs_.push_back(numbers(rows_of_input * stride_.back(), 2 + 2 * Index(i)));
    }
    upstream_ = numbers((layer_->gives_sequence() ? offsets_.back() : rows) * layer_->width(), 100);
    for (float& x : upstream_) x *= kind.scale;
    for (std::vector<float>& input : inputs_)
      for (float& x : input) x *= kind.scale;
    if (kind.cancelling)
      for (Index r = 0; r < rows; ++r)
        for (const Index c : {4, 9}) inputs_.back()[r * stride_.back() + c] = c == 4 ? 0x1p61f : -0x1p61f;
    if (rows > 5 && !layer_->gives_sequence())
      std::fill_n(upstream_.begin() + layer_->width(), 3 * layer_->width(), 0.0f);
  }

  Result by_chunks(const std::vector<bool>& needs_gradient) const {
    Result result = begin();
    std::vector<float> packed(layer_->packed_size());
    layer_->pack(Exec(), parameters_.data(), true, packed.data(), {0, layer_->size() + 1});
    const auto workspace = layer_->make_workspace();
    const auto products = products::panel_products();
    for (std::size_t lane = 0; lane + 1 < borders_.size(); ++lane)
      for (Index first = borders_[lane]; first < borders_[lane + 1]; first += chunk_samples) {
        const Index n = std::min(chunk_samples, borders_[lane + 1] - first), width = layer_->width();
        std::vector<LayerInput> inputs;
        std::vector<Rows<float>> gradients;
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
          inputs.push_back({at(i, inputs_[i].data(), first), lengths(i, offsets_.data(), first, n)});
          gradients.push_back(at(i, result.input_gradients[i].data(), first));
          if (!needs_gradient[i]) gradients[i].data = nullptr;
        }
        const OnePiece piece(n);
        const Layer::Batch chunk{n,
                                 piece.pieces(),
                                 inputs,
                                 parameters_.data(),
                                 packed.data(),
                                 products.get(),
                                 workspace.get(),
                                 {true, 5, 2, 7, 1000 + first}};
        const Index row = layer_->gives_sequence() ? offsets_[first] : first;
        const Rows<float> out{result.out.data() + row * width, width, width};
        layer_->forward({}, chunk, out);
        layer_->backward({}, chunk, out, {upstream_.data() + row * width, width, width}, gradients,
                         {result.gradient.data() + Index(lane) * layer_->size(), 0, first > borders_[lane]});
      }
    return result;
  }

  Result on_device(const std::vector<bool>& needs_gradient) const {
    Result result = begin();
    const auto products = products::make_products(Kernels::portable, products::Precision::fp32);
    const auto workspace = layer_->make_workspace();
    std::vector<Index> first, of_lane;
    for (std::size_t lane = 0; lane + 1 < borders_.size(); ++lane) {
      of_lane.push_back(std::ssize(first));
      for (Index at = borders_[lane]; at < borders_[lane + 1]; at += chunk_samples) first.push_back(at);
    }
    of_lane.push_back(std::ssize(first));
    first.push_back(rows_);
    std::vector<LayerInput> inputs;
    std::vector<Rows<float>> gradients;
    DeviceCopies copies;
    const Index* const offsets = copies(offsets_);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      inputs.push_back({at(i, copies(inputs_[i]), 0), lengths(i, offsets, 0, rows_)});
      gradients.push_back(at(i, copies(result.input_gradients[i]), 0));
      if (!needs_gradient[i]) gradients[i].data = nullptr;
    }
    const Index width = layer_->width();
    const Layer::Batch batch{
        rows_,           {of_lane.back(), std::ssize(of_lane) - 1, copies(first), copies(of_lane), borders_.data()},
        inputs,          copies(parameters_),
        nullptr,         products.get(),
        workspace.get(), {true, 5, 2, 7, 1000}};
    const Rows<float> out{copies(result.out), width, width};
    const Rows<const float> upstream{copies(upstream_), width, width};
    const LaneGradients gradient{copies(result.gradient), layer_->size()};
    const Where where(copies.device);
    for (int twice = 0; twice < 2; ++twice) {  // a batch leaves no state behind
      layer_->forward(where, batch, out);
      layer_->backward(where, batch, out, upstream, gradients, gradient);
    }
    copies.fetch();
    return result;
  }

  /// Returns all gradients wanted, then one input's gradient unwanted in turn.
  std::vector<std::vector<bool>> gradient_choices() const {
    std::vector<std::vector<bool>> choices{std::vector<bool>(inputs_.size(), true)};
    for (std::size_t i = 0; i < inputs_.size(); ++i) choices.push_back(choices[0]), choices.back()[i] = false;
    return choices;
  }

 private:
  template <class T>
  Rows<T> at(std::size_t i, T* data, Index first) const {
    const Index row = case_.inputs[i].sequence ? offsets_[first] : first;
    return {data + row * stride_[i], case_.inputs[i].width(), stride_[i]};
  }
  /// Returns the lengths of samples [first, first + n); `offsets` lie where loops run.
  Lengths lengths(std::size_t i, const Index* offsets, Index first, Index n) const {
    if (!case_.inputs[i].sequence) return {};
    return {offsets + first, offsets_.data() + first, offsets_[first], offsets_[first + n] - offsets_[first]};
  }
  Result begin() const {
    Result result;
    result.out.assign(std::ssize(upstream_), 7.0f);
    for (const auto& input : inputs_) result.input_gradients.emplace_back(input.size(), 7.0f);
    result.gradient.assign((std::ssize(borders_) - 1) * layer_->size(), 0.0f);
    return result;
  }

  Case case_;
  Index rows_;
  std::vector<Index> borders_;
  std::unique_ptr<Layer> layer_;
  std::vector<float> parameters_, upstream_;
  std::vector<Index> offsets_;
  std::vector<std::vector<float>> inputs_;  // each row is 3 floats longer than its width
  std::vector<Index> stride_;
};

std::vector<Case> cases() {
  const std::vector<InputShape> one{{{77}}}, seven{{{19}}, {std::vector<Index>(6, 19)}}, two{{{60}}, {{60}}};
  const std::vector<InputShape> many{{{5}}, {std::vector<Index>(3, 5)}, {{5}}, {std::vector<Index>(40, 5)}};
  InputShape history{{9}, {"unpooled.h@t"}, true, 2.5}, weights{{1}, {"unpooled.h@w"}, true, 2.5};
  std::vector<Case> all = {
      {{.type = "mlp", .widths = {150, 33, 5}}, one},
      {{.type = "mlp", .widths = {1}}, one},
      {{.type = "mlp", .widths = {17}, .bias = false}, {{{1}}}},
      {{.type = "mlp", .widths = {20, 3}, .activations = {Activation::relu}}, one},
      {{.type = "mlp", .widths = {9, 3}, .activations = {Activation::gelu, Activation::none}}, {{{129}}}},
      {{.type = "dot"}, seven},
      {{.type = "dot", .itself = true}, many},
      {{.type = "dot"}, {{{300}}, {{300, 300}}}},
      {{.type = "cat"}, many},
      {{.type = "sum"}, two},
      {{.type = "multiply"}, two},
      {{.type = "product", .dim = 6}, two},
      {{.type = "fm"}, many},
      {{.type = "score"}, two},
      {{.type = "layer_norm"}, one},
      {{.type = "mixture"}, {{{3}}, {{17}}, {{17}}, {{17}}}},
      {{.type = "joint"}, two},
      {{.type = "joint"}, {{{1}}, {{1}}, {{1}}}},
      {{.type = "gated"}, {{{60}}}},
      {{.type = "gated"}, {{{8}, {"unpooled.h"}, true, 2.5}}},
      {{.type = "dropout", .rate = 0.3}, one},
      {{.type = "cross", .layers = 2, .rank = 9}, one},
      {{.type = "cross", .layers = 3}, one},
      {{.type = "vector_cross", .layers = 2}, one},
      {{.type = "mixture_cross", .layers = 2, .rank = 9, .experts = 3}, one},
      {{.type = "mixture_cross", .layers = 1, .rank = 4, .experts = 1}, one},
      {{.type = "attention", .widths = {12, 5}}, {{{9}}, history}},
      {{.type = "attention", .widths = {6}, .softmax = true}, {{{9}}, history}},
      {{.type = "weighted_sum", .positions = 3}, {history}},
      {{.type = "weighted_sum"}, {weights, history}},
  };
  for (const auto& [name, activation] : activations())
    all.push_back({{.type = "mlp", .widths = {13, 6}, .activations = {activation}}, {{{21}}}});
  return all;
}

}  // namespace

TEST_CASE("layer_types: every type has a case in this test") {
  const auto tested = cases();
  for (const LayerType& type : layer_types()) {
    INFO(type.name);
    CHECK(std::any_of(tested.begin(), tested.end(), [&](const Case& c) { return c.settings.type == type.name; }));
  }
}

TEST_CASE("Layer: on a device has the bits of the layer chunk by chunk") {
  const std::vector<std::pair<Index, std::vector<Index>>> batches = {
      {1, {0, 1}}, {17, {0, 9, 17}}, {128, {0, 128}}, {300, {0, 0, 140, 140, 300}}, {700, {0, 700}}, {0, {0, 0}}};
  Index turn = 0;
  for (const Case& c : cases())
    for (const auto& [rows, borders] : batches) {
      if (left_out(turn++, rows > 300 ? 13 : 5)) continue;
      const LayerPair pair(c, rows, borders);
      for (const std::vector<bool>& needs_gradient : pair.gradient_choices()) {
        CAPTURE(c.settings.type, c.settings.widths, rows, needs_gradient);
        CHECK(same(pair.by_chunks(needs_gradient), pair.on_device(needs_gradient)));
      }
    }
}

TEST_CASE("Layer: on a device keeps these bits if products underflow or a lane begins without vectors") {
  Index turn = 0;
  for (const Case& c : cases())
    for (const float scale : {0x1p-55f, 0x1p-90f}) {
      if (left_out(turn++, 7)) continue;
      const LayerPair pair(c, 384, {0, 128, 384}, {scale});
      CAPTURE(c.settings.type, c.settings.widths, scale);
      CHECK(same(pair.by_chunks(pair.gradient_choices()[0]), pair.on_device(pair.gradient_choices()[0])));
    }
}

TEST_CASE("fm: on a device adds in the order of chunks as cancelling numbers show") {
  const LayerPair pair({{.type = "fm"}, {{{5}}, {std::vector<Index>(40, 5)}}}, 17, {0, 9, 17}, {1.0f, true});
  CHECK(same(pair.by_chunks({true, true}), pair.on_device({true, true})));
}

TEST_CASE("dot: on a device has the bits of chunks for vectors that a team stages in several steps") {
  for (const bool itself : {false, true}) {
    const LayerPair pair({{.type = "dot", .itself = itself}, {{{130}}, {std::vector<Index>(59, 130)}}}, 17, {0, 9, 17});
    for (const std::vector<bool>& needs_gradient : pair.gradient_choices())
      CHECK(same(pair.by_chunks(needs_gradient), pair.on_device(needs_gradient)));
  }
}

TEST_CASE("Layer: host code leaves the device memory of layers alone") {
  for (const Case& c : cases()) {
    if (!device_is_host) break;  // a device has memory of its own, so all tests check this
    CAPTURE(c.settings.type, c.settings.widths);
    const LayerPair pair(c, 1100, {0, 700, 1100});
    const Result expected = pair.by_chunks(pair.gradient_choices()[0]);
    const ClosedMemory closed;
    CHECK(same(expected, pair.on_device(pair.gradient_choices()[0])));
  }
}
