// SPDX-License-Identifier: Apache-2.0
// Losses of samples with several labels, some of which a sample may lack.
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/losses.hpp>

using namespace tesserec;
using namespace tesserec::losses;

namespace {

constexpr Index rows = 6, tasks = 3, samples = 10;
constexpr float lacking = std::numeric_limits<float>::quiet_NaN();

struct Evaluation {
  std::vector<double> losses = std::vector<double>(rows, 7.0);
  std::vector<float> gradient = std::vector<float>(rows * tasks, 7.0f);
};

/// Labels, of which each sample has some, and logits.
struct SeveralLabels {
  std::vector<float> logits, labels, weights{1.0f, 0.5f, 2.0f, 1.0f, 0.0f, 3.0f}, scales{1.0f, 0.25f, 1.5f};
  SeveralLabels() {
    for (Index i = 0; i < rows * tasks; ++i) {
      logits.push_back(0.4f * float(i % 7) - 1.1f);
      labels.push_back(i % 4 == 3 ? lacking : float(i % 3 == 0));
    }
    labels[3] = labels[4] = labels[5] = lacking;  // a sample without any
  }
  Evaluation evaluate(const LossFunction& loss) const {
    Evaluation result;
    const OnePiece piece(rows);
    LossFunction::Batch batch{rows,          samples,       piece.pieces(), {logits.data(), tasks, tasks},
                              labels.data(), weights.data()};
    batch.tasks = tasks;
    batch.task_scales = scales.data();
    loss.evaluate({}, batch, result.losses.data(), {result.gradient.data(), tasks, tasks});
    return result;
  }
};

LossSettings of_tasks(Index count) {
  LossSettings settings;
  settings.tasks = count;
  settings.weights = {0.7, 2.5};
  return settings;
}

}  // namespace

TEST_CASE("LossFunction: several labels give the scaled sum of the losses of each, without those that lack") {
  const SeveralLabels data;
  for (const std::string type : {"bce", "mse", "wbce"}) {
    CAPTURE(type);
    const Evaluation all = data.evaluate(*make_loss(type, of_tasks(tasks)));
    const auto one = make_loss(type, of_tasks(1));
    for (Index i = 0; i < rows; ++i) {
      double sum = 0;
      for (Index t = 0; t < tasks; ++t) {
        const float label = data.labels[i * tasks + t];
        if (std::isnan(label)) {
          CHECK(all.gradient[i * tasks + t] == 0.0f);
          continue;
        }
        double loss = 0;
        float gradient = 0;
        const OnePiece piece(1);
        const float weight = data.weights[i];
        one->evaluate({}, {1, samples, piece.pieces(), {&data.logits[i * tasks + t], 1, 1}, &label, &weight}, &loss,
                      {&gradient, 1, 1});
        sum += data.scales[t] * loss;
        CHECK(all.gradient[i * tasks + t] == Approx(data.scales[t] * gradient).epsilon(1e-6));
      }
      CHECK(all.losses[i] == Approx(sum).epsilon(1e-12));
    }
    CHECK(all.losses[1] == 0.0);
  }
}

TEST_CASE("LossFunction: gradients of several labels are slopes of the loss") {
  for (const std::string type : {"bce", "mse", "wbce"}) {
    SeveralLabels data;
    const auto loss = make_loss(type, of_tasks(tasks));
    const Evaluation at = data.evaluate(*loss);
    const auto total = [&] {
      double sum = 0;
      for (const double one : data.evaluate(*loss).losses) sum += one;
      return sum / samples;
    };
    for (Index i = 0; i < rows * tasks; ++i) {
      const float start = data.logits[i];
      data.logits[i] = start + 0x1p-8f;
      const double above = total();
      data.logits[i] = start - 0x1p-8f;
      const double slope = (above - total()) / 0x1p-7;
      data.logits[i] = start;
      CHECK(at.gradient[i] == Approx(slope).margin(1e-6));
    }
  }
}

TEST_CASE("LossFunction: predicts each label's probability by its own logit") {
  const SeveralLabels data;
  std::vector<float> probabilities(rows * tasks), alone(rows * tasks);
  make_loss("bce", of_tasks(tasks))->predict({}, rows, {data.logits.data(), tasks, tasks}, probabilities.data());
  make_loss("bce", of_tasks(1))->predict({}, rows * tasks, {data.logits.data(), 1, 1}, alone.data());
  CHECK(probabilities == alone);
}

TEST_CASE("make_loss: refuses several labels that a loss does not take") {
  CHECK(make_loss("bce", of_tasks(3))->refuses(3).empty());
  CHECK(mentions(make_loss("bce", of_tasks(3))->refuses(1), "3 numbers per sample, a logit for each of model.tasks"));
  CHECK(mentions(error_of([] { make_loss("in_batch_softmax", of_tasks(2)); }),
                 "loss in_batch_softmax takes one label per sample, but model.tasks has 2"));
  LossSettings settings = of_tasks(3);
  settings.task_weights = {1.0, 2.0};
  CHECK(mentions(error_of([&] { make_loss("bce", settings); }), "task_weights has 2 numbers for 3 tasks"));
}
