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

template <Loss type>
std::unique_ptr<LossFunction> make(const LossSettings& s) {
  if (!(s.threshold >= 0.0 && s.threshold < 0.5))
    fail("loss_threshold is ", s.threshold, ", but it must be in [0, 0.5)");
  if (s.weights.size() != 2)
    fail("loss_weights has ", counted(std::ssize(s.weights), "number"), "; it needs two, for label 0 and label 1");
  return std::make_unique<LogitLoss>(SampleLoss{type, s.threshold, {s.weights[0], s.weights[1]}});
}

Registry<LossType>& loss_registry() {
  static Registry<LossType> types(
      "loss", {
                  {"bce", "binary cross entropy of the logit.", {"loss_threshold"}, make<Loss::bce>},
                  {"mse", "squared error of the probability.", {"loss_threshold"}, make<Loss::mse>},
                  {"wbce",
                   "binary cross entropy of the logit, with a weight for each label.",
                   {"loss_threshold", "loss_weights"},
                   make<Loss::wbce>},
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
  return type.make(loss_registry().completed(type, settings));
}

}  // namespace tesserec::losses
