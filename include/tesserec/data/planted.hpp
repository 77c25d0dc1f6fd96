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
struct RankBags;

/// Set of frequency ranks of each table: bit rank % 8 of byte rank / 8.
using RankMask = std::vector<std::vector<std::uint8_t>>;

/// Generator of click logs. Ids follow Zipf's law and dense features N(0, 1). Labels are 1 with probability sigmoid(z)
/// of the truth
///   z = bias + scale * (sum_j w_j x_j + sum over tables of the mean effect of the bag's rows + pair), w_j ~ N(0, 1).
/// The row of frequency rank k has the effect N(0, 1) / sqrt(1 + k / 1000), which can be learned. The pair's term is
///   pair = pair_strength / sqrt(pair_rank) * p . q
/// of the vectors p and q of two features' rows, whose numbers are distributed like effects. A sequence's term is
///   sequence_strength / sqrt(pair_rank * sum of w_i^2) * sum_i w_i p . h_i,  w_i = 0.8^i,
/// of the vector p of the item and those of the items before it, the latest one with i = 0. The sum of w_i^2 is that of
/// a bag of full length, so shorter bags have a smaller term. Items and items before are the same rows with the same
/// vectors, so the order of a bag decides the label. `scale` gives z the
/// standard deviation `strength`, and `bias` gives labels the mean `click_rate`, over a fixed sample. All values are a
/// function of (seed, stream, sample).
///
/// Several labels: the formula above gives the logit of the first label. The logit of each further label is
///   z' = bias' + scale' * (c sum / sd(sum) + sqrt(1 - c^2) own / sd(own)),  c = labels.correlation.
/// There `sum` is that of the first label, and `own` has weights and effects of the further label. A share
/// `labels.missing` of the samples lacks it, at random. In a funnel (`labels.funnel`) the probability of a further
/// label is sigmoid(z') times that of the label before it, and the label is 1 only where that one is.
class PlantedModel {
 public:
  /// Draws the model's weights and calibrates scale and bias on a fixed sample.
  PlantedModel(const SyntheticSettings& settings, std::uint64_t seed);
  ~PlantedModel();

  /// Fills the batch with the samples of the given numbers.
  void fill(PlantedStream stream, std::span<const Index> samples, Index global_size, Batch& batch) const;
  /// Returns the probabilities that labels are 1 [samples, T] row-major, without the effects of rows outside `mask`
  /// (null: all rows). Appends the labels to `labels` unless null, NaN for those that samples lack.
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
  /// Sums of one label over samples, then its logits.
  using Logits = std::vector<double>;
  /// Mixture of the first label's sum and the label's own, and the calibration of their logit.
  struct Calibration {
    double shared = 0, own = 1;
    double scale = 1, bias = 0;
  };

  /// Returns the sums of each label [T][samples], each with its own weights and effects.
  std::vector<Logits> raw_logits(PlantedStream stream, std::span<const Index> samples, const RankMask* mask,
                                 Batch* batch) const;
  void calibrate();
  /// Returns the probabilities [samples, T] of raw_logits(), in a funnel given that the label before is 1.
  std::vector<double> mixed(const std::vector<Logits>& raw) const;
  void draw_labels(PlantedStream stream, Index sample, const double* probabilities, float* labels) const;
  void pair_logits(const std::vector<Index> (&ranks)[2], const RankMask* mask, Logits& z) const;
  const PlantedTable& effects_of(std::size_t task, std::size_t table) const;
  double pair_factor() const;
  void sequence_logits(const std::vector<Index>& items, const RankBags& before, const RankMask* mask, Logits& z) const;

  SyntheticSettings settings_;
  std::uint64_t seed_;
  std::vector<PlantedTable> tables_;
  std::vector<std::vector<PlantedTable>> own_tables_;  ///< effects for further labels [T - 1][tables]
  std::vector<std::vector<double>> weights_;           ///< weights of the dense features for each label [T][K]
  std::vector<Index> pair_;                            ///< tables of the pair, two or none
  std::vector<Index> sequence_;                        ///< tables of the item and of the items before, or none
  std::vector<Calibration> labels_;                    ///< of each label [T]
};

/// Truth about the evaluation samples of this rank.
struct PlantedTruth {
  Index tasks = 1;                    ///< labels of a sample T
  std::vector<double> probabilities;  ///< probabilities of the truth [N, T], whose AUC is the best possible
  std::vector<double> restricted;     ///< probabilities [N, T] by the rows seen often enough in training
  std::vector<float> labels;          ///< [N, T]; NaN = the sample lacks the label
  std::vector<float> queries, items;  ///< PlantedModel::towers; empty without a pair
};

/// Computes the truth of this rank's run of the evaluation samples. `seen_at_least`: occurrences in training from which
/// a row counts in `restricted`. Collective. Each rank counts the rows of its tables, one byte a row.
PlantedTruth planted_truth(const comm::Communicator& comm, const SyntheticSettings& settings, std::uint64_t seed,
                           Index seen_at_least = 5);

}  // namespace tesserec::data
