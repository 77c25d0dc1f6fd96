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
#include <tesserec/network/predictor.hpp>
#include <tesserec/network/settings.hpp>

namespace tesserec::network {

/// Tensor inside the flat parameters, such as "bottom.0.weight": weights [out, in] row-major, biases [out, 1].
using layers::Parameter;

/// Input of the dense half for one rank's samples of a global batch. B is the number of these samples.
struct DenseInput {
  Lanes lanes{1};
  Range my_lanes;                  ///< range of the rank's lanes
  Index global_size = 0;           ///< number n of samples of all ranks
  const float* dense = nullptr;    ///< [B, dense_features]
  const float* pooled = nullptr;   ///< [B, sum of pooled_dims], features in order
  const float* labels = nullptr;   ///< [B, T], NaN = the sample lacks the label; may be null for predict
  const float* weights = nullptr;  ///< [B] sample weights; null = 1 each
  std::uint64_t seed = 0;          ///< seed of layers that draw random numbers in training
  Index step = 0;                  ///< number of the step, from 1
  /// Target [B, T] of the probabilities before the step, which forward_backward() writes; may be null.
  float* probabilities = nullptr;
  std::vector<jagged::JaggedVectors> unpooled = {};  ///< vectors of each un-pooled feature
  /// Place of `pooled` and `unpooled`, and of their gradients. Place::device requires portable or cuBLASLt kernels.
  /// Parameters and their gradients may then lie on either side; all else lies on the host.
  Place place = Place::host;
  const float* task_scales = nullptr;  ///< factor of each label's loss [T]; null = 1 each
};

/// Buffer of packed weights that several processes share.
struct SharedPacking {
  float* memory = nullptr;        ///< [Network::packed_size()], shared by all processes
  Range range;                    ///< range of parameters; this process packs the panels whose first weight lies in it
  std::function<void()> barrier;  ///< barrier over the processes
};

/// Description of a layer of a network, for people and benchmarks.
struct LayerInfo {
  layers::LayerSettings settings;
  std::vector<layers::InputShape> inputs;
  bool wants_input_gradient = false;
  Index width = 0;
  std::optional<layers::InputShape> sequence = {};  ///< shape of an output that is a sequence
  Index parameters = 0;                             ///< number of learned parameters
  std::string shape;                                ///< "13-512-256-64-16"; "" before a network is made
};
/// Describes the layers, one line each: "  bottom       mlp of dense: 13-512-256-64-16\n".
std::string describe_layers(const std::vector<LayerInfo>& layers);

/// Dense half of a model: layers and a loss. On a host, threads take runs of lanes. A chunk of samples runs forward and
/// backward through all layers while its activations are in the cache. On a device, a rank's whole batch runs layer by
/// layer.
class Network {
 public:
  /// Makes the layers of model `settings.type`. Throws SettingError.
  Network(const Settings& settings, Index dense_features, EmbeddedFeatures features);
  /// Makes the same network for pooled features without names.
  Network(const Settings& settings, Index dense_features, const std::vector<Index>& pooled_dims);
  ~Network();

  const Settings& settings() const;
  /// Returns the tensors of the flat parameter vector.
  const std::vector<Parameter>& layout() const;
  /// Returns the floats of the flat parameter vector, gaps included.
  Index parameters() const;
  Index dense_features() const;
  /// Returns the sum of the pooled features' dimensions.
  Index pooled_width() const;
  /// Returns the un-pooled features in the order of DenseInput::unpooled.
  const std::vector<EmbeddedFeature>& unpooled() const;
  /// Returns the FLOPs of one training sample, forward and backward.
  double flops_per_sample() const;
  /// Returns the FLOPs of one training sample in layers that matrix products do not dominate.
  double other_flops_per_sample() const;
  /// Returns the descriptions of the layers, in order.
  const std::vector<LayerInfo>& layers() const;

  /// Returns the floats of the packed weights that a host's products read.
  Index packed_size() const;
  /// Makes this process pack its share of the weights into shared memory. From now on the sharing processes must call
  /// forward_backward() and predict() together, with equal parameters. These calls then wait at the barrier.
  void share_weights(const SharedPacking& shared);

  /// Fills the parameters with start values (layers::Start) from counter-based random numbers under `seed`. Sets gaps
  /// to 0.
  void initialize(const Exec& exec, std::uint64_t seed, const PlacedVector<float>& parameters) const;

  /// Runs the rank's lanes forward and backward. The loss is a mean over the global batch.
  ///   pooled_gradient [B, pooled_width()] and unpooled_gradient, one for each of input.unpooled, are overwritten.
  ///   gradients receives the parameters' gradient lane by lane and is finished.
  /// Returns the loss summed over each of the rank's lanes, divided by n. With a device's kernels, results in host
  /// memory are complete once LaneLosses::get() has returned.
  LaneLosses forward_backward(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                              float* pooled_gradient, LaneSums& gradients,
                              const std::vector<jagged::JaggedVectors>& unpooled_gradient = {}) const;

  /// Computes `probabilities` [B, T] in the chunks of training, hence with the same bits. Returns each lane's loss,
  /// divided by n, or zeros without labels. `towers`, unless null, receives [B, 2 * tower_width()], a sample's two
  /// vectors. Blocks until the results are in host memory.
  std::vector<double> predict(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                              float* probabilities, float* towers = nullptr) const;
  /// Packs the weights once, for predictors. `parameters` lie in the host's memory and must outlive the predictors.
  void freeze(const Exec& exec, const PlacedVector<float>& parameters);
  /// Makes a predictor for one thread, after freeze(). The network must outlive it.
  std::unique_ptr<Predictor> predictor() const;
  /// Returns the width of the last layer's two input vectors if that layer is a score or cat of two equally wide
  /// inputs. Otherwise returns 0.
  Index tower_width() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tesserec::network
