// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
#include <tesserec/scoring/run_follower.hpp>

namespace tesserec::serve {

/// Counts of a service since its start, in Prometheus' text form. Threads may call it at once.
class ServiceMetrics {
 public:
  /// Counts a reply by its HTTP status.
  void replied(int status);
  /// Counts a request that was scored: its samples, and its seconds from the whole body to the reply.
  void scored(Index samples, double seconds);
  /// Counts a request that was refused because a score was not finite.
  void not_finite();
  /// Counts the raw values of a request.
  void encoded(const scoring::RawCounts& counts);
  /// Counts a request's ids that a growing table has no row for [features].
  void lacked_rows(const std::vector<Index>& ids);
  /// Returns the counts of the raw values of a model's columns and features.
  std::string raw_text(const scoring::RawInputs& raw, const std::vector<std::string>& features) const;
  /// Returns the counts of ids without a row.
  std::string ids_text(const std::vector<std::string>& features) const;
  /// Returns all metrics of a model of a step.
  std::string text(const std::string& model, Index step, int in_flight) const;

 private:
  static constexpr std::array upper_bounds{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0};

  mutable std::mutex mutex_;
  std::map<int, Index> replies_;                          // by status
  std::array<Index, upper_bounds.size() + 1> buckets_{};  // requests up to each bound, and above all
  Index samples_ = 0;
  Index not_finite_ = 0;
  double seconds_ = 0;
  scoring::RawCounts raw_;
  std::vector<Index> without_row_;  // [features]
};

/// Returns the metrics of a model that follows a run, in the same form.
std::string follow_metrics(const scoring::FollowFigures& figures);
/// Returns the metric of the rows' checksums, in the same form.
std::string verified_metric(bool verified);
/// Returns the metrics of a log of scores, in the same form.
std::string log_metrics(Index lost);

}  // namespace tesserec::serve
