// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/comm/lane_sums.hpp>
#include <tesserec/comm/node.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/model/settings.hpp>

namespace tesserec::model {

/// One tensor of the dense half inside the flat parameter vector. Weights are out x in, row-major; biases out
/// x 1.
struct Parameter {
  std::string name;  ///< "bottom.0.weight", "bottom.0.bias", ..., "top.0.weight", ...
  Index rows = 0;
  Index columns = 0;
  Index offset = 0;  ///< first float; a multiple of 16, the gap before the next tensor stays zero
};

/// What the dense half is given for one rank's samples of one global batch.
struct DenseInput {
  Lanes lanes{1};
  Range my_lanes;                 ///< the rank's lanes
  Index global_size = 0;          ///< samples n of all ranks
  const float* dense = nullptr;   ///< [B, dense_features]
  const float* pooled = nullptr;  ///< [B, sum of pooled_dims], features in order
  const float* labels = nullptr;  ///< [B]; may be null for predict
};

/// The dense half of a DLRM (Naumov et al., arXiv 1906.00091): bottom MLP, interaction, top MLP, loss. Chunks
/// of samples run through the whole chain forward and backward while their activations sit in the cache;
/// threads take runs of lanes.
class Dlrm {
 public:
  /// `pooled_dims`: embedding dimension of each feature's pooled vector. Errors: dot with a bottom that does
  /// not end in embedding_dim or a pooled dimension that differs, top does not end in 1.
  Dlrm(const Settings& settings, Index dense_features, std::vector<Index> pooled_dims);
  ~Dlrm();

  const Settings& settings() const;
  const std::vector<Parameter>& layout() const;
  /// Floats of the flat parameter vector, gaps included.
  Index parameters() const;
  /// All widths, the computed ones included: {dense_features, bottom...} and {interaction width, top...}.
  const std::vector<Index>& bottom_widths() const;
  const std::vector<Index>& top_widths() const;
  Index pooled_width() const;
  /// FLOPs of one training sample: 6 a weight (4 in the first layer) and the interaction's products.
  double flops_per_sample() const;
  /// The interaction's part of it.
  double interaction_flops_per_sample() const;

  /// From now on the ranks of `node`, which must stay, call forward_backward and predict together, with the same
  /// parameters: they pack the weights once for all of them, into memory that they share. Collective.
  void share_weights(const comm::Node& node);

  /// Weights N(0, sqrt(2/(in+out))), biases N(0, sqrt(1/out)), from counters, as the reference DLRM; gaps
  /// zero.
  void initialise(const Exec& exec, std::uint64_t seed, const Vector<float>& parameters) const;

  /// Forward and backward of the rank's lanes. The loss is a mean over the global batch.
  ///   pooled_gradient [B, pooled width] is overwritten;
  ///   gradients receives the parameters' gradient lane by lane and is finished;
  ///   the result is the loss summed over each of the rank's lanes, divided by n.
  std::vector<double> forward_backward(const Exec& exec, const Vector<float>& parameters, const DenseInput& input,
                                       float* pooled_gradient, comm::LaneSums& gradients) const;

  /// Probabilities [B] in the same chunks, hence with the bits of training; with labels also the lanes'
  /// losses.
  std::vector<double> predict(const Exec& exec, const Vector<float>& parameters, const DenseInput& input,
                              float* probabilities) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tesserec::model
