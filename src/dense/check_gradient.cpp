// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <tesserec/core/error.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/dense/check_gradient.hpp>
#include <tesserec/dense/products.hpp>

namespace tesserec::dense {
namespace {

/// Content of memory that nobody has written.
constexpr float untouched = std::numeric_limits<float>::quiet_NaN();

/// Numbers beside their gradients, and the function whose slopes these should be.
class SlopeCheck {
 public:
  SlopeCheck(const GradientCheck& check, std::function<double()> value) : check_(check), value_(std::move(value)) {}

  /// `name_of(i)` for messages.
  template <class Name>
  void compare(std::vector<float>& numbers, const std::vector<float>& gradient, const Name& name_of) {
    std::vector<double> slopes;
    std::vector<bool> corner;
    double largest = 1e-3;  // the least that 24 bits of a sum of N(0, 1) leave to tell
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double narrow = slope(numbers[i], 1e-2f), wide = slope(numbers[i], 2e-2f);
      slopes.push_back((4 * narrow - wide) / 3);  // leaves the fifth derivative
      corner.push_back(std::abs(narrow - wide) > 0.05 * std::max({std::abs(narrow), std::abs(wide), 0.1}));
      largest = std::max(largest, std::abs(slopes.back()));
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double difference = std::abs(gradient[i] - slopes[i]) / largest;
      if (corner[i] && difference > check_.tolerance) {
        ++result_.corners;
        continue;
      }
      ++result_.numbers;
      result_.difference = std::max(result_.difference, difference);
      if (!(difference <= check_.tolerance))
        fail("the gradient of ", name_of(i), " is ", gradient[i], ", by differences it is ", significant(slopes[i], 4));
    }
  }

  CheckedGradient result() const {
    if (result_.corners > (result_.numbers + result_.corners) / 4)
      fail(result_.corners, " of ", result_.numbers + result_.corners,
           " gradients lie where slopes change too fast to be told; give inputs of another seed");
    return result_;
  }

 private:
  double slope(float& at, float h) const {
    const float kept = at;
    at = kept + h;
    const double up = at, above = value_();
    at = kept - h;
    const double down = at, below = value_();
    at = kept;
    return (above - below) / (up - down);
  }

  const GradientCheck& check_;
  std::function<double()> value_;
  CheckedGradient result_;
};

std::vector<float> normal_numbers(const GradientCheck& check, Index stream, Index size) {
  const Random random(check.seed, Purpose::test, stream);
  std::vector<float> numbers(size);
  for (Index i = 0; i < size; ++i) numbers[i] = random.normal(i, 0);
  return numbers;
}

/// A layer with all that it is given for one chunk on this thread.
class ChunkAlone {
 public:
  static constexpr Index apart = 3;  // floats between the rows of an input

  ChunkAlone(const Exec& exec, const Layer& layer, const std::vector<InputShape>& inputs, const GradientCheck& check)
      : exec_(exec), layer_(layer), rows_(check.rows), parameters_(normal_numbers(check, 0, layer.size())) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Index vectors = rows_;
      offsets_.emplace_back();
      if (inputs[i].sequence) {  // 1, 2, 3, 0, 1, ... vectors a sample
        offsets_[i].assign(rows_ + 1, 0);
        for (Index r = 0; r < rows_; ++r) offsets_[i][r + 1] = offsets_[i][r] + (r + 1) % 4;
        vectors = offsets_[i].back();
      }
      widths_.push_back(inputs[i].width());
      numbers_.push_back(normal_numbers(check, 1 + Index(i), vectors * widths_[i]));
    }
    Index out_rows = rows_;
    for (std::size_t i = 0; layer.gives_sequence() && i < inputs.size(); ++i)
      if (inputs[i].sequence) out_rows = offsets_[i].back();
    upstream_ = normal_numbers(check, 1 + std::ssize(inputs), out_rows * layer.width());
    clear_gaps(parameters_, 0.0f);
  }

  std::vector<float>& parameters() { return parameters_; }
  std::vector<std::vector<float>>& numbers() { return numbers_; }
  Index width(std::size_t input) const { return widths_[input]; }

  /// The sum of the outputs, each times a number that stays the same.
  double value() {
    forward();
    return std::inner_product(out_.begin(), out_.end(), upstream_.begin(), 0.0, std::plus<>(),
                              [](float a, float b) { return double(a) * double(b); });
  }

  /// Gradients of that sum: of the wanted inputs, and of the parameters, added to `before` if there is any.
  struct Gradients {
    std::vector<std::vector<float>> inputs;
    std::vector<float> parameters;
  };
  Gradients gradients(bool wanted, std::vector<float> before = {}) {
    forward();
    const bool add = !before.empty();
    if (!add) before.assign(layer_.size(), untouched);
    std::vector<std::vector<float>> laid(numbers_.size());
    std::vector<Rows<float>> to;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      laid[i].assign(laid_[i].size(), untouched);
      to.push_back({wanted ? laid[i].data() : nullptr, widths_[i], widths_[i] + apart});
    }
    const Rows<const float> out{out_.data(), layer_.width(), layer_.width()};
    layer_.backward({}, batch(), out, {upstream_.data(), layer_.width(), layer_.width()}, to,
                    {before.data(), layer_.size(), add});
    clear_gaps(before, add ? untouched : 0.0f);
    Gradients found{{}, std::move(before)};
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      found.inputs.emplace_back();
      const Index stride = widths_[i] + apart;
      for (Index at = 0; at < std::ssize(laid[i]); ++at) {
        if (at % stride < widths_[i])
          found.inputs[i].push_back(laid[i][at]);
        else if (!std::isnan(laid[i][at]))
          fail("backward writes behind column ", widths_[i], " of the gradient of input ", i, "; its rows lie ",
               "Rows::stride apart");
      }
    }
    return found;
  }

 private:
  void clear_gaps(std::vector<float>& values, float gap) const {
    std::vector<bool> learnt(values.size());
    for (const Parameter& p : layer_.parameters()) std::fill_n(learnt.begin() + p.offset, p.rows * p.columns, true);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!learnt[i]) values[i] = gap;
  }

  void forward() {
    packed_.assign(layer_.packed_size(), untouched);
    layer_.pack(exec_, parameters_.data(), true, packed_.data(), {0, layer_.size() + 1});
    laid_.clear();
    views_.clear();
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const Index stride = widths_[i] + apart, vectors = std::ssize(numbers_[i]) / std::max<Index>(1, widths_[i]);
      laid_.emplace_back(vectors * stride, untouched);
      for (Index r = 0; r < vectors; ++r)
        std::copy_n(numbers_[i].data() + r * widths_[i], widths_[i], laid_[i].data() + r * stride);
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      LayerInput& view = views_.emplace_back(LayerInput{{laid_[i].data(), widths_[i], widths_[i] + apart}});
      const std::vector<Index>& offsets = offsets_[i];
      if (!offsets.empty()) view.lengths = {offsets.data(), offsets.data(), 0, offsets.back()};
    }
    workspace_ = layer_.make_workspace();
    out_.assign(upstream_.size(), untouched);
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
  std::vector<std::vector<float>> numbers_, laid_;  // of each input: rows side by side, and as they lie
  std::vector<std::vector<Index>> offsets_;         // of each sequence
  std::vector<Index> widths_;
  std::vector<LayerInput> views_;
  const OnePiece piece_{rows_};
  const std::unique_ptr<Products> products_ = panel_products();
  std::unique_ptr<Layer::Workspace> workspace_;
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

  const std::vector<float> before = normal_numbers(check, 99, layer.size());
  const std::vector<float> added = chunk.gradients(false, before).parameters;
  for (std::size_t i = 0; i < added.size(); ++i)
    if (const float wanted = before[i] + first.parameters[i];
        !std::isnan(added[i]) && !(std::abs(added[i] - wanted) <= 1e-4f * (1 + std::abs(wanted))))
      fail("backward with `add` makes ", before[i], " of ", parameter_name(layer, i), " to ", added[i], ", not ",
           wanted);
  return slopes.result();
}

CheckedGradient check_gradient(const LossFunction& loss, Index width, const std::vector<float>& labels,
                               const GradientCheck& check) {
  if (const std::string takes = loss.refuses(width); !takes.empty())
    fail("the loss takes ", takes, ", not ", counted(width, "number"));
  std::vector<float> out = normal_numbers(check, 0, check.rows * width), given, weights;
  for (Index r = 0; r < check.rows; ++r) {
    given.push_back(labels[r % std::ssize(labels)]);
    weights.push_back(0.5f + 0.25f * float(r % 4));
  }
  std::vector<float> gradient(out.size(), untouched);
  std::vector<double> losses(check.rows);
  const OnePiece piece(check.rows);
  const auto workspace = loss.make_workspace();
  const auto value = [&](float* to) {
    const Rows<const float> rows{out.data(), width, width};
    loss.evaluate({}, {check.rows, check.rows, piece.pieces(), rows, given.data(), weights.data(), workspace.get()},
                  losses.data(), {to, width, width});
    return std::accumulate(losses.begin(), losses.end(), 0.0) / double(check.rows);
  };
  value(gradient.data());
  std::vector<float> unused(out.size());
  SlopeCheck slopes(check, [&] { return value(unused.data()); });
  slopes.compare(out, gradient, [&](Index at) { return concat("out[", at / width, ", ", at % width, "]"); });
  return slopes.result();
}

}  // namespace tesserec::dense
