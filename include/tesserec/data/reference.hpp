// SPDX-License-Identifier: Apache-2.0
/// The uniform generator of the reference DLRM (facebookresearch/dlrm, dlrm_data_pytorch.py,
/// generate_uniform_input_batch and generate_random_output_batch). One rule over any stream of uniform
/// numbers.
#pragma once

#include <random>
#include <span>

#include <tesserec/core/random.hpp>
#include <tesserec/data/settings.hpp>

namespace tesserec::data {

struct Batch;

/// Numbers in [0, 1), one after the other.
class UniformStream {
 public:
  virtual ~UniformStream() = default;
  virtual double next() = 0;
  /// Said before the numbers of one part of a sample: its dense features, its bag of feature f, its target.
  virtual void dense_of(Index /*sample*/) {}
  virtual void bag_of(Index /*sample*/, Index /*feature*/) {}
  virtual void target_of(Index /*sample*/) {}
};

/// A sample's numbers are a function of (seed, sample), so that any rank makes its own samples.
class CounterStream : public UniformStream {
 public:
  CounterStream(std::uint64_t seed, Index features);
  double next() override;
  void dense_of(Index sample) override { start(sample, 0); }
  void bag_of(Index sample, Index feature) override { start(sample, 2 + feature); }
  void target_of(Index sample) override { start(sample, 1); }

 private:
  void start(Index sample, Index part);

  std::vector<Random> parts_;
  Index part_ = 0, sample_ = 0, drawn_ = 0;
  std::array<std::uint32_t, 4> quad_{};
};

/// Numbers of numpy.random after seed(seed), in order: 53 bits from two outputs of the Mersenne twister.
class Mt19937Stream : public UniformStream {
 public:
  explicit Mt19937Stream(std::uint32_t seed) : twister_(seed) {}
  double next() override;

 private:
  std::mt19937 twister_;
};

/// Fills the batch with the samples given: dense features of all samples, then, by feature and sample, round(max(1, u *
/// min(rows, ids_per_bag))) draws (ids_per_bag where variable_bags is false) of id round(u * (rows - 1)), sorted, each
/// once; then the targets, rounded when asked. Rounds half to even; targets and dense features to float.
void reference_batch(const SyntheticSettings& settings, const std::vector<Index>& rows,
                     const std::vector<std::string>& features, std::span<const Index> samples, Index global_size,
                     UniformStream& uniform, Batch& batch);

/// Distinct ids of a bag on average, were ids uniform over the rows; `variable`: of 1 to ids_per_bag draws.
double reference_ids_per_bag(Index rows, Index ids_per_bag, bool variable);

}  // namespace tesserec::data
