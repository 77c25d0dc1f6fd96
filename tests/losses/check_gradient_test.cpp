// SPDX-License-Identifier: Apache-2.0
// check_gradient() accepts the library's losses and finds an error in another.
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/losses/check_gradient.hpp>

using namespace tesserec;
using namespace tesserec::losses;

namespace {

/// Half the squared distance to the label. If `wrong`, its gradient ignores the samples' weights.
class Distance final : public LossFunction {
 public:
  explicit Distance(bool wrong) : wrong_(wrong) {}
  std::string refuses(Index width) const override { return width == 1 ? "" : "one number"; }
  void evaluate(const Where&, const Batch& batch, double* losses, Rows<float> gradient) const override {
    for (Index r = 0; r < batch.rows; ++r) {
      const float far = *batch.out[r] - batch.labels[r];
      losses[r] = batch.weight(r) * 0.5 * far * far;
      *gradient[r] = (wrong_ ? 1.0f : batch.weight(r)) * far / float(batch.samples);
    }
  }
  void predict(const Where&, Index rows, Rows<const float> out, float* probabilities) const override {
    for (Index r = 0; r < rows; ++r) probabilities[r] = *out[r];
  }

 private:
  bool wrong_;
};

}  // namespace

TEST_CASE("check_gradient: accepts the losses of the library") {
  for (const char* name : {"bce", "mse", "wbce"})
    REQUIRE(error_of([&] { check_gradient(*loss_type(name).make({}), 1); }) == "");
  REQUIRE(error_of([&] { check_gradient(*loss_type("in_batch_softmax").make({}), 8); }) == "");
}

TEST_CASE("check_gradient: throws with the number that is wrong in a loss's gradient") {
  CHECK(error_of([] { check_gradient(Distance(false), 1, {0.0f, 0.5f, 3.0f}); }) == "");
  CHECK(mentions(error_of([] { check_gradient(Distance(true), 1); }), "out[0, 0]: the gradient is "));
  CHECK(error_of([] { check_gradient(Distance(false), 2); }) == "the loss takes one number, not 2 numbers");
}
