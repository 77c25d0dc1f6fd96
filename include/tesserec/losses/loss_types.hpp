// SPDX-License-Identifier: Apache-2.0
/// Losses, which judge a network's last layer, and their types by name.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tesserec/core/rows.hpp>
#include <tesserec/losses/loss_settings.hpp>

namespace tesserec::losses {

class LossFunction {
 public:
  virtual ~LossFunction() = default;

  /// "" if it takes `width` numbers of each sample; else what it takes: "one number of each sample, the logit".
  virtual std::string refuses(Index width) const = 0;
  /// As a Layer's.
  virtual bool is_host_only() const { return false; }

  /// Null: needs none.
  virtual std::unique_ptr<Workspace> make_workspace() const { return nullptr; }

  /// A batch at one Where.
  struct Batch {
    Index rows = 0;
    Index samples = 0;  ///< of the global batch
    Pieces chunks = {};
    Rows<const float> out = {};  ///< [rows, width] of the last layer
    const float* labels = nullptr;
    const float* weights = nullptr;  ///< of the samples; null: all weigh 1
    Workspace* workspace = nullptr;

    TESSEREC_FUNCTION float weight(Index i) const { return weights == nullptr ? 1.0f : weights[i]; }
  };
  /// Writes losses [rows], each sample's times its weight, and d(their sum / samples)/d(out).
  virtual void evaluate(const Where& where, const Batch& batch, double* losses, Rows<float> gradient) const = 0;
  /// Writes what predict says of each row: probabilities [rows].
  virtual void predict(const Where& where, Index rows, Rows<const float> out, float* probabilities) const = 0;
};

/// A kind of loss.
struct LossType {
  std::string name;
  std::string text;                    ///< one sentence
  std::vector<std::string> keys = {};  ///< what it reads: loss_threshold, loss_weights, loss_temperature
  std::function<std::unique_ptr<LossFunction>(const LossSettings&)> make;
  std::array<float, 2> labels = {0.0f, 1.0f};  ///< the least and the largest label that it takes
  std::vector<OwnKey> own = {};                ///< keys that it brings to [model], each named loss_...
};

/// bce, mse, wbce, in_batch_softmax and those that were added, in this order.
const std::vector<LossType>& loss_types();
/// Adds a loss of one's own, before any deck is read. Error: the name or an own key's is taken, or the latter does not
/// begin with loss_.
void add_loss_type(LossType type);
/// Error that lists what there is.
const LossType& loss_type(const std::string& name);
/// Makes a loss by name; own keys without a value have their presets.
std::unique_ptr<LossFunction> make_loss(const std::string& name, const LossSettings& settings);

}  // namespace tesserec::losses
