// SPDX-License-Identifier: Apache-2.0
/// What a network's last layer is judged by. The kinds of losses there are, by name.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tesserec/dense/layer.hpp>
#include <tesserec/dense/loss_settings.hpp>

namespace tesserec::dense {

class DeviceLoss;

class LossFunction {
 public:
  virtual ~LossFunction() = default;

  /// "" if it takes `width` numbers of each sample; else what it takes: "one number of each sample, the logit".
  virtual std::string refuses(Index width) const = 0;
  /// Floats that evaluate needs for itself.
  virtual Index scratch(Index /*rows*/, Index /*width*/) const { return 0; }

  /// One chunk of samples on one thread.
  struct Chunk {
    Index rows = 0;
    Index samples = 0;      ///< of the global batch
    Rows<const float> out;  ///< [rows, width] of the last layer
    const float* labels = nullptr;
    const float* weights = nullptr;  ///< of the samples; null: all weigh 1
    float* scratch = nullptr;

    float weight(Index i) const { return weights == nullptr ? 1.0f : weights[i]; }
  };
  /// Adds the samples' losses, each times its weight, to `sum`, in order, and writes d(sum / samples)/d(out).
  virtual void evaluate(const Chunk& chunk, double& sum, Rows<float> gradient) const = 0;
  /// Returns what predict says of one sample, from `width` numbers: a probability.
  virtual double prediction(const float* out, Index width) const = 0;
  /// The same loss for whole batches in device memory, with the same bits. Null: there is none.
  virtual std::unique_ptr<DeviceLoss> on_device() const;
};

/// A kind of loss.
struct LossType {
  std::string name;
  std::string text;               ///< one sentence
  std::vector<std::string> keys;  ///< what it reads: loss_threshold, loss_weights, loss_temperature
  std::function<std::unique_ptr<LossFunction>(const LossSettings&)> make;
  std::array<float, 2> labels = {0.0f, 1.0f};  ///< the least and the largest label that it takes
};

/// bce, mse, wbce, in_batch_softmax and those that were added, in this order.
const std::vector<LossType>& loss_types();
/// A loss of one's own, before any deck is read. Error: the name is taken.
void add_loss_type(LossType type);
/// Error that lists what there is.
const LossType& loss_type(const std::string& name);

}  // namespace tesserec::dense
