// SPDX-License-Identifier: Apache-2.0
/// Loss functions of a network's last layer, and their registry by name.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tesserec/core/rows.hpp>
#include <tesserec/losses/loss_settings.hpp>

namespace tesserec::losses {

/// Loss function of the last layer's output.
class LossFunction {
 public:
  virtual ~LossFunction() = default;

  /// Returns "" if the loss takes `width` numbers per sample. Otherwise returns the input that the loss takes: "one
  /// number per sample, the logit".
  virtual std::string refuses(Index width) const = 0;
  /// Returns whether the loss runs its own loops over host memory, so that no device can run it.
  virtual bool is_host_only() const { return false; }

  /// Makes the buffers that evaluate() needs. Returns null if the loss needs none.
  virtual std::unique_ptr<Workspace> make_workspace() const { return nullptr; }

  /// Batch at one Where.
  struct Batch {
    Index rows = 0;
    Index samples = 0;  ///< number of samples of the global batch
    Pieces chunks = {};
    Rows<const float> out = {};      ///< [rows, width] output of the last layer
    const float* labels = nullptr;   ///< [rows, tasks]; NaN = the sample lacks the label
    const float* weights = nullptr;  ///< sample weights; null = 1 each
    Workspace* workspace = nullptr;
    Index tasks = 1;                     ///< labels of a sample T
    const float* task_scales = nullptr;  ///< factor of each label's loss [T]; null = 1 each

    TESSEREC_FUNCTION float weight(Index i) const { return weights == nullptr ? 1.0f : weights[i]; }
  };
  /// Writes `losses` [rows], each multiplied by the sample's weight, and `gradient`, d(sum of losses / samples)/d(out).
  virtual void evaluate(const Where& where, const Batch& batch, double* losses, Rows<float> gradient) const = 0;
  /// Writes the predicted probabilities [rows, tasks].
  virtual void predict(const Where& where, Index rows, Rows<const float> out, float* probabilities) const = 0;
};

/// Loss type.
struct LossType {
  std::string name;
  std::string text;                    ///< one sentence for people
  std::vector<std::string> keys = {};  ///< keys that the loss reads: loss_threshold, loss_weights, loss_temperature
  std::function<std::unique_ptr<LossFunction>(const LossSettings&)> make;
  std::array<float, 2> labels = {0.0f, 1.0f};  ///< smallest and largest label that the loss takes
  std::vector<OwnKey> own = {};                ///< keys that the loss adds to [model], each named loss_...
  bool several_labels = false;                 ///< true if the loss takes samples with several labels
};

/// Returns bce, mse, wbce and in_batch_softmax, then the added types in the order of their addition.
const std::vector<LossType>& loss_types();
/// Adds a user-defined loss. Call it before any deck is read. Throws Error if the name or the name of an own key is
/// taken, or if an own key does not begin with loss_.
void add_loss_type(LossType type);
/// Returns the type of this name. Throws Error listing the known losses if there is none.
const LossType& loss_type(const std::string& name);
/// Makes a loss by name. Own keys without a value take their presets. Throws Error for an unknown name, a setting out
/// of range, or several labels that the loss does not take.
std::unique_ptr<LossFunction> make_loss(const std::string& name, const LossSettings& settings);

}  // namespace tesserec::losses
