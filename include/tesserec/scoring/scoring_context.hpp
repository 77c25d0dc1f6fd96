// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::scoring {

class ServedModel;

/// Bags of a feature: sample s has ids[offsets[s]] up to ids[offsets[s + 1]]. No offsets: no sample has an id.
/// `shared`: there is one bag, with offsets [2], which all samples have.
struct ScoredBags {
  const Index* offsets = nullptr;  ///< [samples + 1]
  const Index* ids = nullptr;
  const float* weights = nullptr;  ///< parallel to ids; read by weighted tables alone
  bool shared = false;
};

/// Samples to score, in the caller's memory.
struct ScoringBatch {
  Index samples = 0;
  const float* dense = nullptr;             ///< [samples, dense features]; may be null without dense features
  std::span<const ScoredBags> sparse = {};  ///< in the order of ServedModel::features()
  Index first = 0;                          ///< number of the first sample in messages
  bool shared_dense = false;                ///< dense [dense features] is one row, which all samples have
};

/// Scores of a model by one thread, chunk by chunk, with buffers that later calls reuse. Several contexts may use one
/// model at once, each with one thread at a time.
class ScoringContext {
 public:
  /// Takes the model, which must outlive the context.
  explicit ScoringContext(const ServedModel& model);
  ScoringContext(ScoringContext&&) noexcept;
  ~ScoringContext();

  /// Predicts the probabilities [samples, T] of T labels with the bits of `tesserec predict` if the rows are exact.
  /// Throws Error, before it writes a score, if offsets decrease, an id is outside its table, weights are missing, or a
  /// number is not finite. What samples share is looked up once for 128 samples, and layers that read nothing else are
  /// computed as often, with the bits of samples that have it each.
  void score(const ScoringBatch& batch, float* probabilities);
  /// Returns how many ids of a feature had no row in a growing table in the last score(), the most of its tables.
  /// Leaves out id 0, which stands for missing and unknown values. Ids that samples share count once.
  Index without_row(std::size_t feature) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Returns a message that names the first sample with a score that is not finite, of scores [samples, T] of score(), or
/// "" if all are finite. Huge dense numbers give such scores, and so do damaged rows of a model folder.
std::string not_finite_reason(const ServedModel& model, std::span<const float> scores);

}  // namespace tesserec::scoring
