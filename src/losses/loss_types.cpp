// SPDX-License-Identifier: Apache-2.0
#include "in_batch_softmax.hpp"
#include "loss_formulas.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/registry.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::losses {
namespace {

/// Loss that depends on a sample's logit, label and weight alone.
class LogitLoss final : public LossFunction {
 public:
  explicit LogitLoss(const SampleLoss& loss) : formula_(loss) {}

  std::string refuses(Index width) const override { return width == 1 ? "" : "one number per sample, the logit"; }
  void evaluate(const Where& where, const Batch& batch, double* losses, Rows<float> gradient) const override {
    const LossFormula formula = formula_;
    const auto n = double(batch.samples);
    over_numbers(
        where, "tesserec::losses::loss", batch.rows, KOKKOS_LAMBDA(Index i) {
          const LossValue loss = formula.of_logit(*batch.out[i], batch.labels[i]);
          const double weight = batch.weight(i);
          losses[i] = weight * loss.value;
          *gradient[i] = float(weight * loss.gradient / n);
        });
  }
  void predict(const Where& where, Index rows, Rows<const float> out, float* probabilities) const override {
    const LossFormula formula = formula_;
    over_numbers(
        where, "tesserec::losses::predict", rows,
        KOKKOS_LAMBDA(Index i) { probabilities[i] = float(formula.prediction(*out[i])); });
  }

 private:
  LossFormula formula_;
};

/// Sum over a sample's labels of the loss of each one's logit, times the label's scale. A label that the sample lacks,
/// NaN, adds nothing.
class LogitLosses final : public LossFunction {
 public:
  LogitLosses(const SampleLoss& loss, Index tasks) : formula_(loss), tasks_(tasks) {}

  std::string refuses(Index width) const override {
    return width == tasks_ ? "" : concat(tasks_, " numbers per sample, a logit for each of model.tasks");
  }
  void evaluate(const Where& where, const Batch& batch, double* losses, Rows<float> gradient) const override {
    const LossFormula formula = formula_;
    const auto n = double(batch.samples);
    const Index tasks = tasks_;
    over_numbers(
        where, "tesserec::losses::task_losses", batch.rows, KOKKOS_LAMBDA(Index i) {
          const double weight = batch.weight(i);
          double sum = 0.0;
          for (Index t = 0; t < tasks; ++t) {
            const float label = batch.labels[i * tasks + t];
            gradient[i][t] = 0.0f;
            if (label != label) continue;  // NaN
            const LossValue loss = formula.of_logit(batch.out[i][t], label);
            const double scale = batch.task_scales == nullptr ? 1.0 : double(batch.task_scales[t]);
            sum += scale * loss.value;
            gradient[i][t] = float(weight * scale * loss.gradient / n);
          }
          losses[i] = weight * sum;
        });
  }
  void predict(const Where& where, Index rows, Rows<const float> out, float* probabilities) const override {
    const LossFormula formula = formula_;
    const Index tasks = tasks_;
    over_numbers(
        where, "tesserec::losses::predict_tasks", rows, KOKKOS_LAMBDA(Index i) {
          for (Index t = 0; t < tasks; ++t) probabilities[i * tasks + t] = float(formula.prediction(out[i][t]));
        });
  }

 private:
  LossFormula formula_;
  Index tasks_;
};

template <Loss type>
std::unique_ptr<LossFunction> make(const LossSettings& s) {
  if (!(s.threshold >= 0.0 && s.threshold < 0.5))
    fail("loss_threshold is ", s.threshold, ", but it must be in [0, 0.5)");
  if (s.weights.size() != 2)
    fail("loss_weights has ", counted(std::ssize(s.weights), "number"), "; it needs two, for label 0 and label 1");
  const SampleLoss loss{type, s.threshold, {s.weights[0], s.weights[1]}};
  if (s.tasks > 1) return std::make_unique<LogitLosses>(loss, s.tasks);
  return std::make_unique<LogitLoss>(loss);
}

Registry<LossType>& loss_registry() {
  static Registry<LossType> types(
      "loss", {
                  {.name = "bce",
                   .text = "binary cross entropy of the logit.",
                   .keys = {"loss_threshold"},
                   .make = make<Loss::bce>,
                   .several_labels = true},
                  {.name = "mse",
                   .text = "squared error of the probability.",
                   .keys = {"loss_threshold"},
                   .make = make<Loss::mse>,
                   .several_labels = true},
                  {.name = "wbce",
                   .text = "binary cross entropy of the logit, with a weight for each value of the label.",
                   .keys = {"loss_threshold", "loss_weights"},
                   .make = make<Loss::wbce>,
                   .several_labels = true},
                  {"in_batch_softmax",
                   "cross entropy of the clicked item among all items of the same chunk of 128 samples. The model's "
                   "output is a query's vector followed by its item's.",
                   {"loss_temperature"},
                   make_in_batch_softmax},
              });
  return types;
}

}  // namespace

const std::vector<LossType>& loss_types() { return loss_registry().all(); }
void add_loss_type(LossType type) {
  for (const OwnKey& key : type.own)
    if (!key.name.starts_with("loss_"))
      fail(loss_registry().owner(type.name), ": its key \"", key.name,
           "\" must begin with \"loss_\", as all keys of losses in [model]; name it loss_", key.name);
  loss_registry().add(std::move(type));
}
const LossType& loss_type(const std::string& name) { return loss_registry().at(name); }

std::unique_ptr<LossFunction> make_loss(const std::string& name, const LossSettings& settings) {
  const LossType& type = loss_type(name);
  if (settings.tasks > 1 && !type.several_labels)
    fail("loss ", name, " takes one label per sample, but model.tasks has ", settings.tasks,
         "; set model.loss = \"bce\", or name one task");
  if (!settings.task_weights.empty() && std::ssize(settings.task_weights) != settings.tasks)
    fail("task_weights has ", counted(std::ssize(settings.task_weights), "number"), " for ",
         counted(settings.tasks, "task"), "; give one for each of model.tasks");
  return type.make(loss_registry().completed(type, settings));
}

}  // namespace tesserec::losses
