// SPDX-License-Identifier: Apache-2.0
/// What a point's folder says of it: point.json, written by the sweep, from what the run left (docs/formats.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/sweep/settings.hpp>

namespace tesserec::sweep {

/// Standing of a point at the end of a rung.
struct Outcome {
  Index steps = 0;
  Index samples = 0;                      ///< since the start of training
  std::string weights_digest;             ///< empty where it diverged
  std::string diverged;                   ///< the run's message, where its numbers stopped being finite
  std::map<std::string, double> metrics;  ///< by name; not a number where undefined
};

struct Record {
  Index index = 0;
  std::string digest;                  ///< of the point's whole deck
  std::vector<std::string> overrides;  ///< "optimizer.dense.lr=0.1"
  std::vector<Outcome> outcomes;       ///< one a rung, in order
  std::string data_digest = {};        ///< of the data's files when it began; empty: it has none, or an old record
};

/// 16 hexadecimal digits of a deck's text.
std::string deck_digest(const std::string& deck);

/// FOLDER/point.json; nothing where there is none. Error when it is damaged, or of another deck than `digest`.
std::optional<Record> read_record(const std::string& folder, const std::string& digest);
/// Whole or not at all; makes the folder.
void write_record(const std::string& folder, const Record& record);

/// Reads the outcome of the folder's run, just ended, from result.json and metrics.jsonl. Error: `metric`'s is missing.
Outcome outcome_of_run(const std::string& folder, const std::string& metric);

/// The value of a metric; not a number where the point diverged. Error that names the folder where it has none.
double value_of(const Outcome& outcome, const std::string& metric, const std::string& folder);

}  // namespace tesserec::sweep
