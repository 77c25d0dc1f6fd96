// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/losses/check_gradient.hpp>

namespace tesserec::losses {

CheckedGradient check_gradient(const LossFunction& loss, Index width, const std::vector<float>& labels,
                               const GradientCheck& check) {
  if (const std::string takes = loss.refuses(width); !takes.empty())
    fail("the loss takes ", takes, ", not ", counted(width, "number"));
  std::vector<float> out = SlopeCheck::normal_numbers(check, 0, check.rows * width), given, weights;
  for (Index r = 0; r < check.rows; ++r) {
    given.push_back(labels[r % std::ssize(labels)]);
    weights.push_back(0.5f + 0.25f * float(r % 4));
  }
  std::vector<float> gradient(out.size(), SlopeCheck::untouched);
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

}  // namespace tesserec::losses
