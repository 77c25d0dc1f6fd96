// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <tesserec/metrics/names.hpp>
#include <tesserec/train/running_metrics.hpp>

namespace tesserec::train {

RunningMetrics::RunningMetrics(const comm::Communicator& comm, std::vector<std::string> names, Index window,
                               double threshold)
    : comm_(comm), names_(std::move(names)), window_(window), threshold_(threshold) {}

void RunningMetrics::add(const std::vector<float>& probabilities, const data::Batch& batch, Index task) {
  std::vector<double> scores;
  std::vector<float> labels, weights;
  for (Index b = 0; b < batch.size; ++b) {
    const Index at = b * batch.tasks + task;
    if (batch.tasks > 1 && std::isnan(batch.labels(at))) continue;
    scores.push_back(probabilities[at]);
    labels.push_back(batch.labels(at));
    if (batch.weights.size() > 0) weights.push_back(batch.weights(b));
  }
  since_.add(scores, labels, weights, threshold_);
}

std::vector<std::pair<std::string, double>> RunningMetrics::line() {
  std::vector<std::pair<std::string, double>> values;
  if (names_.empty()) return values;
  lines_.push_back(since_.over_ranks(comm_));
  since_ = {};
  lifetime_ += lines_.back();
  window_sums_ += lines_.back();
  for (; std::ssize(lines_) > window_; lines_.pop_front()) window_sums_ -= lines_.front();
  const auto report = [&](const std::string& prefix, const metrics::SampleSums& sums) {
    for (const auto& [name, value] : metrics::chosen({sums.metrics(), {}, {}}, names_))
      values.emplace_back(prefix + name, value);
  };
  report("window_", window_sums_);
  report("lifetime_", lifetime_);
  return values;
}

std::vector<std::int64_t> RunningMetrics::state() const {
  std::vector<std::int64_t> values;
  if (names_.empty()) return values;
  lifetime_.append_to(values);
  since_.over_ranks(comm_).append_to(values);
  for (const metrics::SampleSums& line : lines_) line.append_to(values);
  return values;
}

void RunningMetrics::restore(const std::vector<std::int64_t>& state) {
  if (names_.empty() || state.empty()) return;
  constexpr Index words = metrics::SampleSums::words;
  const auto piece = [&](Index i) { return metrics::SampleSums::from(std::span(state).subspan(i * words, words)); };
  lifetime_ = piece(0);
  if (comm_.rank() == 0) since_ = piece(1);
  for (Index i = 2; i < std::ssize(state) / words; ++i) window_sums_ += lines_.emplace_back(piece(i));
}

}  // namespace tesserec::train
