// SPDX-License-Identifier: Apache-2.0
/// Record of a point in its folder: point.json, which the sweep writes from the files of the run (docs/formats.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/sweep/settings.hpp>

namespace tesserec::sweep {

/// Outcome of a point at the end of a rung.
struct Outcome {
  Index steps = 0;
  Index samples = 0;                      ///< number of samples since the start of training
  std::string weights_digest;             ///< digest of the weights; empty if the run diverged
  std::string diverged;                   ///< message of a run that diverged; else empty
  std::map<std::string, double> metrics;  ///< metrics by name; NaN = undefined
};

/// Content of point.json.
struct Record {
  Index index = 0;
  std::string digest;                  ///< digest of the point's whole deck
  std::vector<std::string> overrides;  ///< "optimizer.dense.lr=0.1"
  std::vector<Outcome> outcomes;       ///< [rung] outcomes
  std::string data_digest = {};        ///< digest of the data's files at the start; empty = no files or an old record
};

/// Returns the digest of a deck's text, 16 hexadecimal digits.
std::string deck_digest(const std::string& deck);

/// Reads FOLDER/point.json; returns nothing if there is none. Throws Error if the file is damaged, or if the digest of
/// its deck is not `digest`.
std::optional<Record> read_record(const std::string& folder, const std::string& digest);
/// Replaces FOLDER/point.json atomically, making the folder if necessary.
void write_record(const std::string& folder, const Record& record);

/// Reads the outcome of the folder's run, which has just ended, from result.json and metrics.jsonl. Throws Error if
/// `metric` is missing or not finite.
Outcome outcome_of_run(const std::string& folder, const std::string& metric);

/// Returns the value of a metric, or NaN if the point diverged. Throws Error naming the folder if the metric is
/// missing.
double value_of(const Outcome& outcome, const std::string& metric, const std::string& folder);

}  // namespace tesserec::sweep
