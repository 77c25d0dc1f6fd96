// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <tesserec/core/error.hpp>
#include <tesserec/layers/check_gradient.hpp>
#include <tesserec/products/products.hpp>

namespace tesserec::layers {
namespace {

/// Layer with its operands for one chunk on this thread.
class ChunkAlone {
 public:
  static constexpr Index gap = 3;  // floats of gap between the rows of an input

  ChunkAlone(const Exec& exec, const Layer& layer, const std::vector<InputShape>& inputs, const GradientCheck& check)
      : exec_(exec), layer_(layer), rows_(check.rows), parameters_(SlopeCheck::normal_numbers(check, 0, layer.size())) {
    Index out_rows = rows_;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Index vectors = rows_;
      offsets_.emplace_back();
      if (inputs[i].sequence) {  // 1, 2, 3, 0, 1, ... vectors per sample
        offsets_[i].assign(rows_ + 1, 0);
        for (Index r = 0; r < rows_; ++r) offsets_[i][r + 1] = offsets_[i][r] + (r + 1) % 4;
        vectors = offsets_[i].back();
        if (layer.gives_sequence()) out_rows = vectors;
      }
      widths_.push_back(inputs[i].width());
      numbers_.push_back(SlopeCheck::normal_numbers(check, 1 + Index(i), vectors * widths_[i]));
    }
    upstream_ = SlopeCheck::normal_numbers(check, 1 + std::ssize(inputs), out_rows * layer.width());
    clear_gaps(parameters_, 0.0f);
  }

  std::vector<float>& parameters() { return parameters_; }
  std::vector<std::vector<float>>& numbers() { return numbers_; }
  Index width(std::size_t input) const { return widths_[input]; }

  /// Returns the sum of the outputs, each times a fixed coefficient.
  double value() {
    forward();
    return std::inner_product(out_.begin(), out_.end(), upstream_.begin(), 0.0, std::plus<>(),
                              [](float a, float b) { return double(a) * double(b); });
  }

  /// Gradients of value(): of the inputs, if wanted, and of the parameters, added to `before` unless it is empty.
  struct Gradients {
    std::vector<std::vector<float>> inputs;
    std::vector<float> parameters;
  };
  Gradients gradients(bool with_inputs, std::vector<float> before = {}) {
    forward();
    const bool add = !before.empty();
    if (!add) before.assign(layer_.size(), SlopeCheck::untouched);
    std::vector<std::vector<float>> padded(numbers_.size());
    std::vector<Rows<float>> to;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      padded[i].assign(padded_[i].size(), SlopeCheck::untouched);
      to.push_back({with_inputs ? padded[i].data() : nullptr, widths_[i], widths_[i] + gap});
    }
    const Rows<const float> out{out_.data(), layer_.width(), layer_.width()};
    layer_.backward({}, batch(), out, {upstream_.data(), layer_.width(), layer_.width()}, to,
                    {before.data(), layer_.size(), add});
    clear_gaps(before, add ? SlopeCheck::untouched : 0.0f);
    Gradients found{{}, std::move(before)};
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      found.inputs.emplace_back();
      const Index stride = widths_[i] + gap;
      for (Index at = 0; at < std::ssize(padded[i]); ++at) {
        if (at % stride < widths_[i])
          found.inputs[i].push_back(padded[i][at]);
        else if (!std::isnan(padded[i][at]))
          fail("backward writes beyond column ", widths_[i], " of the gradient of input ", i, "; its rows lie ",
               "Rows::stride apart");
      }
    }
    return found;
  }

 private:
  void clear_gaps(std::vector<float>& values, float filler) const {
    std::vector<bool> learnt(values.size());
    for (const Parameter& p : layer_.parameters()) std::fill_n(learnt.begin() + p.offset, p.rows * p.columns, true);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!learnt[i]) values[i] = filler;
  }

  void forward() {
    packed_.assign(layer_.packed_size(), SlopeCheck::untouched);
    layer_.pack(exec_, parameters_.data(), true, packed_.data(), {0, layer_.size() + 1});
    padded_.clear();
    views_.clear();
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const Index stride = widths_[i] + gap, vectors = std::ssize(numbers_[i]) / std::max<Index>(1, widths_[i]);
      padded_.emplace_back(vectors * stride, SlopeCheck::untouched);
      for (Index r = 0; r < vectors; ++r)
        std::copy_n(numbers_[i].data() + r * widths_[i], widths_[i], padded_[i].data() + r * stride);
      LayerInput& view = views_.emplace_back(LayerInput{{padded_[i].data(), widths_[i], stride}});
      const std::vector<Index>& offsets = offsets_[i];
      if (!offsets.empty()) view.lengths = {offsets.data(), offsets.data(), 0, offsets.back()};
    }
    workspace_ = layer_.make_workspace();
    out_.assign(upstream_.size(), SlopeCheck::untouched);
    layer_.forward({}, batch(), {out_.data(), layer_.width(), layer_.width()});
  }

  Layer::Batch batch() const {
    return {rows_,          piece_.pieces(), views_,           parameters_.data(),
            packed_.data(), products_.get(), workspace_.get(), {true, 1, 0, 1, 0}};
  }

  Exec exec_;
  const Layer& layer_;
  Index rows_;
  std::vector<float> parameters_, upstream_, packed_, out_;
  std::vector<std::vector<float>> numbers_, padded_;  // [input] contiguous values, and rows with gaps
  std::vector<std::vector<Index>> offsets_;           // [input] empty unless it is a sequence
  std::vector<Index> widths_;
  std::vector<LayerInput> views_;
  const OnePiece piece_{rows_};
  const std::unique_ptr<products::Products> products_ = products::panel_products();
  std::unique_ptr<Workspace> workspace_;
};

std::string parameter_name(const Layer& layer, Index place) {
  for (const Parameter& p : layer.parameters())
    if (place >= p.offset && place < p.offset + p.rows * p.columns)
      return concat("parameter ", p.name, "[", (place - p.offset) / p.columns, ", ", (place - p.offset) % p.columns,
                    "]");
  return concat("the gap at float ", place);
}

}  // namespace

CheckedGradient check_gradient(const Exec& exec, const Layer& layer, const std::vector<InputShape>& inputs,
                               const GradientCheck& check) {
  ChunkAlone chunk(exec, layer, inputs, check);
  const ChunkAlone::Gradients first = chunk.gradients(true);
  SlopeCheck slopes(check, [&] { return chunk.value(); });
  for (std::size_t i = 0; i < inputs.size(); ++i)
    slopes.compare(chunk.numbers()[i], first.inputs[i], [&](Index at) {
      return concat("input ", i, "[", at / chunk.width(i), ", ", at % chunk.width(i), "]");
    });
  slopes.compare(chunk.parameters(), first.parameters, [&](Index at) { return parameter_name(layer, at); });

  const std::vector<float> before = SlopeCheck::normal_numbers(check, 99, layer.size());
  const std::vector<float> added = chunk.gradients(false, before).parameters;
  for (std::size_t i = 0; i < added.size(); ++i)
    if (const float expected = before[i] + first.parameters[i];
        !std::isnan(added[i]) && !(std::abs(added[i] - expected) <= 1e-4f * (1 + std::abs(expected))))
      fail("backward with `add` makes ", before[i], " of ", parameter_name(layer, i), " to ", added[i], ", not ",
           expected);
  return slopes.result();
}

}  // namespace tesserec::layers
