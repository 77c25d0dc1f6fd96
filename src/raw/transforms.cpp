// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string_view>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/transforms.hpp>

namespace tesserec::raw {
namespace {

TESSEREC_KERNEL void log1p(const double* x, Index count, float* y) {
  for (Index i = 0; i < count; ++i) y[i] = float(elementary::log1p(x[i]));
}

}  // namespace

NumberTransform::NumberTransform(const std::string& feature, Transform transform, const Moments& moments,
                                 std::optional<double> fill)
    : feature_(feature),
      transform_(transform),
      mean_(moments.mean),
      standard_deviation_(moments.standard_deviation()),
      fill_(fill) {}

float NumberTransform::operator()(double x) const {
  if (std::isnan(x)) {
    if (!fill_) return 0.0f;
    x = *fill_;
  }
  if (transform_ == Transform::log1p) {
    float y = 0;
    const double positive = std::max(x, 0.0);
    log1p(&positive, 1, &y);
    return y;
  }
  if (transform_ == Transform::none) return float(x);
  const double standardized = (x - mean_) / standard_deviation_;
  if (!(std::abs(standardized) <= std::numeric_limits<float>::max()))
    throw UnfitNumber(concat(feature_, ": ", x, " after the transform ", description(),
                             " does not fit a 32-bit float; check the column"));
  return float(standardized);
}

void NumberTransform::operator()(const double* x, Index ldx, Index count, float* dense, Index ldy) const {
  if (transform_ != Transform::log1p) {
    for (Index i = 0; i < count; ++i) dense[i * ldy] = (*this)(x[i * ldx]);
    return;
  }
  constexpr Index most = 256;  // numbers at once, which stay in the cache
  double positive[most];
  float y[most];
  for (Index first = 0; first < count; first += most) {
    const Index size = std::min(most, count - first);
    for (Index i = 0; i < size; ++i) {
      const double number = x[(first + i) * ldx];
      positive[i] = std::max(std::isnan(number) ? fill_.value_or(0) : number, 0.0);
    }
    log1p(positive, size, y);
    for (Index i = 0; i < size; ++i) dense[(first + i) * ldy] = y[i];
  }
}

std::string NumberTransform::description() const {
  std::string text = transform_name(transform_);
  if (transform_ == Transform::standardise)
    text += " mean=" + significant(mean_, 17) + " sd=" + significant(standard_deviation_, 17);
  return fill_ ? text + " fill=" + significant(*fill_, 17) : text;
}

std::string NumberTransform::rule() const {
  return fill_ ? concat(transform_name(transform_), " fill=", significant(*fill_, 17)) : transform_name(transform_);
}

std::optional<NumberTransform> NumberTransform::described(const std::string& feature, const std::string& text) {
  NumberTransform read(feature, Transform::none, {});
  std::istringstream words(text);
  std::string word;
  words >> word;
  for (const Transform transform : {Transform::log1p, Transform::standardise})
    if (word == transform_name(transform)) read.transform_ = transform;
  while (words >> word) {
    const std::size_t stop = word.find('=') + 1;
    const std::optional<double> value = parse_number<double>(std::string_view(word).substr(stop));
    if (!value) return std::nullopt;
    if (word.starts_with("mean=")) read.mean_ = *value;
    if (word.starts_with("sd=")) read.standard_deviation_ = *value;
    if (word.starts_with("fill=")) read.fill_ = *value;
  }
  if (read.description() != text || !(read.standard_deviation_ > 0)) return std::nullopt;
  return read;
}

std::vector<NumberTransform> make_transforms(const RowLayout& layout, const std::vector<Moments>& moments) {
  std::vector<NumberTransform> transforms;
  for (std::size_t k = 0; k < layout.transforms.size(); ++k)
    transforms.emplace_back(layout.dense_features[k], layout.transforms[k], moments[k], layout.fill[k]);
  return transforms;
}

}  // namespace tesserec::raw
