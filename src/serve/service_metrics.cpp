// SPDX-License-Identifier: Apache-2.0
#include "service_metrics.hpp"

#include <algorithm>
#include <chrono>

#include <tesserec/core/text.hpp>

namespace tesserec::serve {
namespace {

std::string head(const std::string& name, const char* type, const char* help) {
  return concat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

std::string metric(const char* name, const char* type, const char* help, const std::string& value) {
  return head(name, type, help) + name + " " + value + "\n";
}

/// Escapes a label's value.
std::string label_text(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

/// Returns a counter with a value for each label; values beyond the counts are 0.
std::string counters(const char* name, const char* help, const char* label, const std::vector<std::string>& labels,
                     const std::vector<Index>& counts) {
  std::string text = head(name, "counter", help);
  for (std::size_t i = 0; i < labels.size(); ++i)
    text += concat(name, "{", label, "=\"", label_text(labels[i]), "\"} ", i < counts.size() ? counts[i] : 0, "\n");
  return text;
}

}  // namespace

void ServiceMetrics::replied(int status) {
  const std::lock_guard lock(mutex_);
  ++replies_[status];
}

void ServiceMetrics::scored(Index samples, double seconds) {
  const auto bucket = std::ranges::lower_bound(upper_bounds, seconds) - upper_bounds.begin();
  const std::lock_guard lock(mutex_);
  ++buckets_[std::size_t(bucket)];
  samples_ += samples;
  seconds_ += seconds;
}

void ServiceMetrics::not_finite() {
  const std::lock_guard lock(mutex_);
  ++not_finite_;
}

void ServiceMetrics::encoded(const scoring::RawCounts& counts) {
  const std::lock_guard lock(mutex_);
  raw_ += counts;
}

void ServiceMetrics::lacked_rows(const std::vector<Index>& ids) {
  const std::lock_guard lock(mutex_);
  without_row_.resize(ids.size(), 0);
  for (std::size_t f = 0; f < ids.size(); ++f) without_row_[f] += ids[f];
}

std::string ServiceMetrics::raw_text(const scoring::RawInputs& raw, const std::vector<std::string>& features) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> columns, numbers;
  std::vector<Index> clipped;
  for (const scoring::RawColumn& column : raw.columns()) {
    const std::size_t c = columns.size();
    columns.push_back(column.name);
    if (column.kind != raw::ColumnKind::number) continue;
    numbers.push_back(column.name);
    clipped.push_back(c < raw_.clipped.size() ? raw_.clipped[c] : 0);
  }
  return counters("tesserec_raw_values_total", "Raw values of features.", "feature", features, raw_.values) +
         counters("tesserec_raw_unknown_total", "Raw values without an id or a row.", "feature", features,
                  raw_.unknown) +
         counters("tesserec_raw_cut_total", "Raw values beyond max_values, left out.", "feature", features, raw_.cut) +
         counters("tesserec_raw_missing_total", "Samples without a value in a column.", "column", columns,
                  raw_.missing) +
         counters("tesserec_raw_clipped_total", "Numbers below 0 that log1p takes as 0.", "column", numbers, clipped);
}

std::string ServiceMetrics::ids_text(const std::vector<std::string>& features) const {
  const std::lock_guard lock(mutex_);
  return counters("tesserec_ids_without_row_total", "Ids but 0 that a growing table has no row for.", "feature",
                  features, without_row_);
}

std::string ServiceMetrics::text(const std::string& model, Index step, int in_flight) const {
  const std::lock_guard lock(mutex_);
  std::string text = head("tesserec_requests_total", "counter", "Replies by HTTP status.");
  for (const auto& [status, count] : replies_)
    text += concat("tesserec_requests_total{code=\"", status, "\"} ", count, "\n");
  text += head("tesserec_samples_total", "counter", "Samples that were scored.");
  text += concat("tesserec_samples_total ", samples_, "\n");
  text += metric("tesserec_not_finite_total", "counter", "Requests refused because a score was not finite.",
                 std::to_string(not_finite_));
  text += head("tesserec_infer_seconds", "histogram", "Seconds from a request's whole body to its reply.");
  Index count = 0;
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    count += buckets_[b];
    const std::string bound = b < upper_bounds.size() ? shortest(upper_bounds[b]) : "+Inf";
    text += concat("tesserec_infer_seconds_bucket{le=\"", bound, "\"} ", count, "\n");
  }
  text += concat("tesserec_infer_seconds_sum ", shortest(seconds_), "\ntesserec_infer_seconds_count ", count, "\n");
  text += head("tesserec_in_flight", "gauge", "Requests that are read, wait or are scored.");
  text += concat("tesserec_in_flight ", in_flight, "\n");
  text += head("tesserec_model_step", "gauge", "Steps that the served model was trained.");
  return text + concat("tesserec_model_step{model=\"", model, "\"} ", step, "\n");
}

std::string follow_metrics(const scoring::FollowFigures& figures) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return metric("tesserec_model_age_seconds", "gauge", "Seconds since the run wrote the served state.",
                shortest(now.count() - figures.written)) +
         metric("tesserec_model_delay_seconds", "gauge", "Seconds from then until the state was served.",
                shortest(figures.delay)) +
         metric("tesserec_deltas_total", "counter", "Deltas that the model took.", std::to_string(figures.deltas)) +
         metric("tesserec_checkpoints_total", "counter", "Checkpoints that the model took after the first.",
                std::to_string(figures.checkpoints)) +
         metric("tesserec_refused_states_total", "counter", "Attempts to take a delta or a checkpoint that failed.",
                std::to_string(figures.refused)) +
         metric("tesserec_lost_states_total", "counter",
                "Deltas and checkpoints that the run removed or replaced while they were read.",
                std::to_string(figures.lost));
}

std::string verified_metric(bool verified) {
  return metric("tesserec_rows_verified", "gauge", "1 once all rows were compared with their checksums.",
                verified ? "1" : "0");
}

std::string log_metrics(Index lost) {
  return metric("tesserec_log_lost_total", "counter", "Scored requests that the log lacks.", std::to_string(lost));
}

}  // namespace tesserec::serve
