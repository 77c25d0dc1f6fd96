// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/placed.hpp>
#include <tesserec/jagged/jagged_tensor.hpp>
#include <tesserec/layers/layer_types.hpp>
#include <tesserec/network/features.hpp>
#include <tesserec/network/lane_losses.hpp>
#include <tesserec/network/settings.hpp>

namespace tesserec::network {

/// Tensor inside the flat parameters: "bottom.0.weight", ...; weights [out, in] row-major, biases [out, 1].
using layers::Parameter;

/// Input of the dense half for one rank's samples of one global batch.
struct DenseInput {
  Lanes lanes{1};
  Range my_lanes;                  ///< the rank's lanes
  Index global_size = 0;           ///< samples n of all ranks
  const float* dense = nullptr;    ///< [B, dense_features]
  const float* pooled = nullptr;   ///< [B, sum of pooled_dims], features in order
  const float* labels = nullptr;   ///< [B]; may be null for predict
  const float* weights = nullptr;  ///< [B], of the samples; null: all weigh 1
  std::uint64_t seed = 0;          ///< of layers that draw numbers in training
  Index step = 0;                  ///< from 1
  /// [B]: where forward_backward leaves the predictions that it learns from; may be null.
  float* probabilities = nullptr;
  std::vector<jagged::JaggedVectors> unpooled = {};  ///< of each un-pooled feature
  /// Place of pooled and unpooled, and of their gradients. With portable kernels they, the parameters and their
  /// gradients may lie with the host or on the device, else with the host; all else is the host's.
  Place place = Place::host;
};

/// Packed weights that several processes share.
struct SharedPacking {
  float* memory = nullptr;        ///< [Network::packed_size()], the same for all of them
  Range part;                     ///< of the parameters: panels whose first weight lies in it are packed here
  std::function<void()> barrier;  ///< until all have come here
};

/// A layer of a network, for people and benchmarks.
struct LayerInfo {
  layers::LayerSettings settings;
  std::vector<layers::InputShape> inputs;
  bool wants_input_gradient = false;
  Index width = 0;
  std::optional<layers::InputShape> sequence = {};  ///< its output's shape, where that is a sequence
  Index parameters = 0;                             ///< numbers that are learnt
  std::string shape;                                ///< "13-512-256-64-16"; of a list that is no network yet ""
};
/// "  bottom       mlp of dense: 13-512-256-64-16\n", a line a layer.
std::string describe_layers(const std::vector<LayerInfo>& layers);

/// The dense half of a model: layers and a loss. Chunks of samples run through all layers forward and backward while
/// their activations sit in the cache; threads take runs of lanes.
class Network {
 public:
  /// The layers of model `settings.type`. Throws SettingError.
  Network(const Settings& settings, Index dense_features, EmbeddedFeatures features);
  /// The same without names.
  Network(const Settings& settings, Index dense_features, const std::vector<Index>& pooled_dims);
  ~Network();

  const Settings& settings() const;
  const std::vector<Parameter>& layout() const;
  /// Floats of the flat parameter vector, gaps included.
  Index parameters() const;
  Index dense_features() const;
  Index pooled_width() const;
  /// Lists the features that are not pooled, in the order of DenseInput::unpooled.
  const std::vector<EmbeddedFeature>& unpooled() const;
  /// FLOPs of one training sample: forward, and back to all that learns.
  double flops_per_sample() const;
  /// The part of it that is not in products of matrices.
  double other_flops_per_sample() const;
  const std::vector<LayerInfo>& layers() const;

  /// Floats of the packed weights that a host's products read.
  Index packed_size() const;
  /// Makes this process pack its part of the weights into memory that several share: from now on they call
  /// forward_backward and predict together, with the same parameters.
  void share_weights(const SharedPacking& shared);

  /// Start values (layers::Start) from counters; gaps zero.
  void initialise(const Exec& exec, std::uint64_t seed, const PlacedVector<float>& parameters) const;

  /// Forward and backward of the rank's lanes. The loss is a mean over the global batch.
  ///   pooled_gradient [B, pooled width] and unpooled_gradient, of input.unpooled, are overwritten;
  ///   gradients receives the parameters' gradient lane by lane and is finished;
  ///   the result is the loss summed over each of the rank's lanes, divided by n.
  /// Results that the host gets from a device's kernels are there when the losses are asked for.
  LaneLosses forward_backward(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                              float* pooled_gradient, LaneSums& gradients,
                              const std::vector<jagged::JaggedVectors>& unpooled_gradient = {}) const;

  /// Probabilities [B] in the same chunks, hence with the bits of training; with labels also the lanes'
  /// losses. `towers`, where wanted, gets [B, 2 * tower_width()]: a sample's two vectors.
  std::vector<double> predict(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                              float* probabilities, float* towers = nullptr) const;
  /// Returns the width of the two vectors of which the last layer is the score, or which it has side by side. Else 0.
  Index tower_width() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tesserec::network
