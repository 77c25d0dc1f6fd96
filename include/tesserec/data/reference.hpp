// SPDX-License-Identifier: Apache-2.0
/// Random generator of the reference DLRM (facebookresearch/dlrm, dlrm_data_pytorch.py, generate_dist_input_batch and
/// generate_random_output_batch). One rule applies to any stream of uniform numbers.
#pragma once

#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

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
  /// Returns the next standard normal number, of a pair made from uniform numbers by the polar method, as numpy.random
  /// does it.
  double normal();
  /// Announces which numbers of a sample follow: its dense features, its bag of a feature, or its target.
  virtual void dense_of(Index /*sample*/) {}
  virtual void bag_of(Index /*sample*/, Index /*feature*/) {}
  virtual void target_of(Index /*sample*/) {}

 protected:
  /// Forgets the second number of a pair.
  void drop_pair() { second_.reset(); }

 private:
  std::optional<double> second_;  ///< second number of the pair, if normal() returned only the first
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

/// Draws the dense features of the samples.
void draw_dense(std::span<const Index> samples, UniformStream& uniform, Batch& batch);
/// Draws the targets of the samples, rounded to 0 or 1 if `round` is true.
void draw_targets(std::span<const Index> samples, bool round, UniformStream& uniform, Batch& batch);

class ReferenceIds;

/// Generator of the reference's batches.
class ReferenceGenerator {
 public:
  /// Takes the settings, whose rows are one table each.
  explicit ReferenceGenerator(const SyntheticSettings& settings);
  ~ReferenceGenerator();
  ReferenceGenerator(ReferenceGenerator&&) noexcept;

  /// Fills the batch with the samples of the given numbers. Draws the dense features of all samples, then the bags by
  /// feature and sample, then the targets, rounded if the settings say so. A bag has round(max(1, u * min(rows,
  /// ids_per_bag))) draws, or ids_per_bag if variable_bags is false. It keeps distinct draws, sorted. A draw is the id
  ///   uniform   round(u * (rows - 1)),
  ///   gaussian  floor(x), x normal, clipped to the range; distinct are the numbers x, so that ids may come twice,
  ///   zipf      k with a probability proportional to (k + 1)^-zipf.
  /// Rounds half to even. Targets and dense features become float.
  void fill(std::span<const Index> samples, Index global_size, UniformStream& uniform, Batch& batch) const;
  /// Returns the mean bag length of a feature.
  double ids_per_bag(std::size_t feature) const;

 private:
  SyntheticSettings settings_;
  std::vector<std::string> features_;
  std::vector<ReferenceIds> tables_;
};

}  // namespace tesserec::data
