// SPDX-License-Identifier: Apache-2.0
#include "transforms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::data {
namespace {

TESSEREC_KERNEL float log1p(double x) { return float(elementary::log1p(x)); }

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
  if (transform_ == Transform::log1p) return log1p(std::max(x, 0.0));
  if (transform_ == Transform::none) return float(x);
  const double standardised = (x - mean_) / standard_deviation_;
  if (!(std::abs(standardised) <= std::numeric_limits<float>::max()))
    fail(feature_, ": ", x, " standardised by ", description(), " does not fit a 32-bit float; look at the column");
  return float(standardised);
}

std::string NumberTransform::description() const {
  std::string text = transform_ == Transform::none ? "none" : "log1p";
  if (transform_ == Transform::standardise)
    text = "standardise mean=" + significant(mean_, 17) + " sd=" + significant(standard_deviation_, 17);
  return fill_ ? text + " fill=" + significant(*fill_, 17) : text;
}

std::vector<NumberTransform> make_transforms(const RowLayout& layout, const std::vector<Moments>& moments) {
  std::vector<NumberTransform> transforms;
  for (std::size_t k = 0; k < layout.transforms.size(); ++k)
    transforms.emplace_back(layout.dense_features[k], layout.transforms[k], moments[k], layout.fill[k]);
  return transforms;
}

}  // namespace tesserec::data
