// SPDX-License-Identifier: Apache-2.0
/// Uniform generator of the reference DLRM (facebookresearch/dlrm, dlrm_data_pytorch.py, generate_uniform_input_batch
/// and generate_random_output_batch). One rule applies to any stream of uniform numbers.
#pragma once

#include <random>
#include <span>

#include <tesserec/core/random.hpp>
#include <tesserec/data/settings.hpp>

namespace tesserec::data {

struct Batch;

/// Sequence of numbers in [0, 1).
class UniformStream {
 public:
  virtual ~UniformStream() = default;
  /// Returns the next number.
  virtual double next() = 0;
  /// Announces which numbers of a sample follow: its dense features, its bag of a feature, or its target.
  virtual void dense_of(Index /*sample*/) {}
  virtual void bag_of(Index /*sample*/, Index /*feature*/) {}
  virtual void target_of(Index /*sample*/) {}
};

/// Stream in which a sample's numbers are a function of (seed, sample), so that any rank makes its own samples.
class CounterStream : public UniformStream {
 public:
  /// Takes the run's seed and the number of sparse features.
  CounterStream(std::uint64_t seed, Index features);
  double next() override;
  void dense_of(Index sample) override { start(sample, 0); }
  void bag_of(Index sample, Index feature) override { start(sample, 2 + feature); }
  void target_of(Index sample) override { start(sample, 1); }

 private:
  void start(Index sample, Index stream);

  std::vector<Random> streams_;
  Index stream_ = 0, sample_ = 0, drawn_ = 0;
  std::array<std::uint32_t, 4> quad_{};
};

/// Stream of numpy.random after seed(seed), in order: 53 bits from two outputs of the Mersenne twister.
class Mt19937Stream : public UniformStream {
 public:
  explicit Mt19937Stream(std::uint32_t seed) : twister_(seed) {}
  double next() override;

 private:
  std::mt19937 twister_;
};

/// Fills the batch with the samples of the given numbers. Draws the dense features of all samples, then the bags by
/// feature and sample, then the targets, rounded if the settings say so. A bag has round(max(1, u * min(rows,
/// ids_per_bag))) draws, or ids_per_bag if variable_bags is false. A draw is the id round(u * (rows - 1)); the bag
/// keeps distinct ids, sorted. Rounds half to even. Targets and dense features become float.
void reference_batch(const SyntheticSettings& settings, const std::vector<Index>& rows,
                     const std::vector<std::string>& features, std::span<const Index> samples, Index global_size,
                     UniformStream& uniform, Batch& batch);

/// Returns the mean number of distinct ids of a bag whose draws are uniform over the rows: 1 to ids_per_bag draws if
/// `variable`, else ids_per_bag.
double reference_ids_per_bag(Index rows, Index ids_per_bag, bool variable);

}  // namespace tesserec::data
