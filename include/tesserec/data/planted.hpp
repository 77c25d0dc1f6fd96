// SPDX-License-Identifier: Apache-2.0
/// Click logs of a planted model, whose best possible AUC is known.
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/synthetic.hpp>

namespace tesserec::data {

struct Batch;

enum class PlantedStream : std::uint64_t;
class PlantedTable;

/// Set of frequency ranks of each table: bit rank % 8 of byte rank / 8.
using RankMask = std::vector<std::vector<std::uint8_t>>;

/// Generator of click logs. Ids follow Zipf's law and dense features N(0, 1). Labels are 1 with probability sigmoid(z)
/// of the truth
///   z = bias + scale * (sum_j w_j x_j + sum over tables of the mean effect of the bag's rows + pair), w_j ~ N(0, 1).
/// The row of frequency rank k has the effect N(0, 1) / sqrt(1 + k / 1000), which can be learned. The pair's term is
///   pair = pair_strength / sqrt(pair_rank) * p . q
/// of the vectors p and q of two features' rows, whose numbers are distributed like effects. `scale` gives z the
/// standard deviation `strength`, and `bias` gives labels the mean `click_rate`, over a fixed sample. All values are a
/// function of (seed, stream, sample).
class PlantedModel {
 public:
  /// Draws the model's weights and calibrates scale and bias on a fixed sample.
  PlantedModel(const SyntheticSettings& settings, std::uint64_t seed);
  ~PlantedModel();

  /// Fills the batch with the samples of the given numbers.
  void fill(PlantedStream stream, std::span<const Index> samples, Index global_size, Batch& batch) const;
  /// Returns the probabilities of label 1 [samples], without the effects of rows outside `mask` (null: all rows).
  /// Appends the labels to `labels` unless null.
  std::vector<double> probabilities(PlantedStream stream, std::span<const Index> samples, const RankMask* mask,
                                    std::vector<float>* labels) const;
  /// Returns, as a bit mask like RankMask's, the frequency ranks of a table that occur at least `at_least` (1 to 255)
  /// times in the first `samples` training samples.
  std::vector<std::uint8_t> ranks_seen(Index table, Index samples, Index at_least) const;

  Index tables() const;

  /// Appends the towers of settings.pair: query vectors [p, 1] and item vectors [c q, effect], both [samples, pair_rank
  /// + 1] row-major. Their inner product is the part of z that depends on the item, with c = pair_strength /
  /// sqrt(pair_rank).
  void towers(PlantedStream stream, std::span<const Index> samples, std::vector<float>& queries,
              std::vector<float>& items) const;

 private:
  void dense(PlantedStream stream, Index sample, float* x) const;
  std::vector<double> raw_logits(PlantedStream stream, std::span<const Index> samples, const RankMask* mask,
                                 Batch* batch) const;
  float label(PlantedStream stream, Index sample, double probability) const;
  double pair_factor() const;
  double pair_product(Index query, Index item) const;

  SyntheticSettings settings_;
  std::uint64_t seed_;
  std::vector<PlantedTable> tables_;
  std::vector<double> weights_;  ///< weights of the dense features
  std::vector<Index> pair_;      ///< tables of the pair, two or none
  double scale_ = 1, bias_ = 0;
};

/// Truth about the evaluation samples of this rank.
struct PlantedTruth {
  std::vector<double> probabilities;  ///< probabilities of the truth, whose AUC is the best possible
  std::vector<double> restricted;     ///< probabilities by the rows seen often enough in training
  std::vector<float> labels;
  std::vector<float> queries, items;  ///< PlantedModel::towers; empty without a pair
};

/// Computes the truth of this rank's run of the evaluation samples. `seen_at_least`: occurrences in training from which
/// a row counts in `restricted`. Collective. Each rank counts the rows of its tables, one byte a row.
PlantedTruth planted_truth(const comm::Communicator& comm, const SyntheticSettings& settings, std::uint64_t seed,
                           Index seen_at_least = 5);

}  // namespace tesserec::data
