// SPDX-License-Identifier: Apache-2.0
/// Click logs with a planted model, whose best possible AUC is known.
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/synthetic.hpp>

namespace tesserec::data {

struct Batch;

enum class PlantedStream : std::uint64_t;
class PlantedTable;

/// Frequency ranks of each table that count: bit rank % 8 of byte rank / 8.
using RankMask = std::vector<std::vector<std::uint8_t>>;

/// Ids by Zipf's law, dense features N(0, 1), and labels 1 with probability sigmoid(z) of the truth
///   z = bias + scale * (sum_j w_j x_j + sum over tables of the mean effect of the bag's rows + pair), w_j ~ N(0, 1).
/// The row of frequency rank k has the effect N(0, 1) / sqrt(1 + k / 1000), so that it can be learnt; and
/// pair = pair_strength / sqrt(pair_rank) * p . q of the vectors of two features' rows, whose numbers are such effects.
/// Over a fixed sample, z has the standard deviation `strength` by `scale`, and labels the mean `click_rate` by `bias`.
/// All is a function of (seed, stream, sample).
class PlantedModel {
 public:
  PlantedModel(const SyntheticSettings& settings, std::uint64_t seed);
  ~PlantedModel();

  /// Fills the batch with the samples given.
  void fill(PlantedStream stream, std::span<const Index> samples, Index global_size, Batch& batch) const;
  /// Returns probabilities of label 1, without the effects of rows outside `mask`. Writes `labels` if wanted.
  std::vector<double> probabilities(PlantedStream stream, std::span<const Index> samples, const RankMask* mask,
                                    std::vector<float>* labels) const;
  /// Ranks of a table that come at least `at_least` (up to 255) times in the first training samples.
  std::vector<std::uint8_t> ranks_seen(Index table, Index samples, Index at_least) const;

  Index tables() const;

  /// Writes the towers of settings.pair: query vectors [p, 1] and item vectors [c q, effect], [samples, pair_rank + 1]
  /// both, whose inner product is what z says of an item beside another one: c = pair_strength / sqrt(pair_rank).
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
  std::vector<double> weights_;  ///< of the dense features
  std::vector<Index> pair_;      ///< tables, two or none
  double scale_ = 1, bias_ = 0;
};

/// Truth about the evaluation samples.
struct PlantedTruth {
  std::vector<double> probabilities;  ///< the truth's: their AUC is the best possible
  std::vector<double> restricted;     ///< of the truth whose rows were seen often enough in training
  std::vector<float> labels;
  std::vector<float> queries, items;  ///< PlantedModel::towers, where there is a pair
};

/// Covers this rank's run of the evaluation samples. Collective: ranks count rows of their tables, one byte a row.
PlantedTruth planted_truth(const comm::Communicator& comm, const SyntheticSettings& settings, std::uint64_t seed,
                           Index seen_at_least = 5);

}  // namespace tesserec::data
