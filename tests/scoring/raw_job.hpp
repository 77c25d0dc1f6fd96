// SPDX-License-Identifier: Apache-2.0
// A job with every kind of raw column, and its rows as texts.
#pragma once

#include <array>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "trained.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/preprocess/run.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
#include <tesserec/scoring/scoring_context.hpp>
#include <tesserec/scoring/served_model.hpp>

namespace tesserec {

/// Texts of a table, column by column.
struct RawTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;

  void write(const std::string& path) const {
    std::ofstream file(path);
    file << join(names) << "\n";
    for (const std::vector<std::string>& row : rows) file << join(row, ",") << "\n";
  }
  std::size_t column(const std::string& name) const {
    return std::size_t(std::find(names.begin(), names.end(), name) - names.begin());
  }
};

/// Texts of some columns as RawInputs reads them.
class ColumnTexts {
 public:
  ColumnTexts(const scoring::RawInputs& raw, const RawTable& table) {
    for (const scoring::RawColumn& column : raw.columns()) {
      bytes_.emplace_back();
      offsets_.push_back({0});
      for (const std::vector<std::string>& row : table.rows) {
        bytes_.back() += row.at(table.column(column.name));
        offsets_.back().push_back(std::ssize(bytes_.back()));
      }
    }
  }
  std::vector<scoring::RawTexts> texts() const {
    std::vector<scoring::RawTexts> all;
    for (std::size_t c = 0; c < bytes_.size(); ++c) all.push_back({bytes_[c].data(), offsets_[c].data(), false});
    return all;
  }

 private:
  std::vector<std::string> bytes_;
  std::vector<std::vector<Index>> offsets_;
};

/// Scores the rows of a table by their raw values.
inline std::vector<float> raw_scores(const scoring::ServedModel& model, const RawTable& table,
                                     scoring::RawCounts& counts) {
  REQUIRE(model.raw() != nullptr);
  const ColumnTexts columns(*model.raw(), table);
  scoring::OwnedSamples samples;
  model.raw()->encode(std::ssize(table.rows), columns.texts(), samples, counts);
  std::vector<float> scores(table.rows.size());
  scoring::ScoringContext(model).score({.samples = samples.samples,
                                        .dense = samples.dense.data(),
                                        .sparse = samples.bags(),
                                        .shared_dense = samples.shared_dense},
                                       scores.data());
  return scores;
}

/// Makes rows with missing values, rare tokens and spaces. `unseen`: beginning of tokens that another call lacks.
inline RawTable raw_rows(Index count, const std::string& unseen, std::uint64_t seed) {
  RawTable table{{"id", "y", "price", "clicks", "user", "tags", "age", "when", "item", "comment", "importance"}, {}};
  std::mt19937_64 random(seed);
  std::array<std::uint64_t, 16> drawn{};
  const auto draw = [&](Index column, Index end) { return Index(drawn.at(column) % std::uint64_t(end)); };
  for (Index r = 0; r < count; ++r) {
    for (std::uint64_t& number : drawn) number = random();
    const auto text = [&](Index column, Index end, const std::string& before) {
      const Index n = draw(column, end);
      return n == 0 ? std::string(r % 2 == 0 ? "" : "NA") : before + std::to_string(n);
    };
    const std::string rare = draw(1, 9) == 0 ? unseen : "u";
    std::string tags;
    for (Index t = draw(2, 4); t > 0; --t)
      tags += (tags.empty() ? "" : "|") + std::string("t") + std::to_string(draw(2 + t, 9)) +
              (t % 2 == 0 ? ":0." + std::to_string(1 + draw(6, 8)) : "");
    const Index day = 1 + draw(7, 28);
    const std::string when =
        "2021-03-" + right(std::to_string(day), 2, '0') + "T" + right(std::to_string(draw(8, 24)), 2, '0') + ":30";
    table.rows.push_back({"k" + std::to_string(r), draw(9, 3) == 0 ? "yes" : "no",
                          r % 7 == 0 ? "" : text(10, 900, "-1.") + "25", text(11, 50, ""), " " + text(12, 30, rare),
                          tags, text(13, 80, ""), r % 11 == 0 ? "" : when, text(14, 400, "i"), "c", "0.5"});
    if (table.rows.back()[2] == "25" || table.rows.back()[2] == "NA25") table.rows.back()[2] = "?";
  }
  return table;
}

/// Returns a deck that preprocesses FOLDER/train.csv and FOLDER/evaluate.csv and trains a model on them.
inline std::string raw_deck(const std::string& folder) {
  return "[run]\noutput = \"" + folder + "/run\"\n[preprocess]\nformat = \"table\"\ntrain = \"" + folder +
         "/train.csv\"\nevaluate = \"" + folder + "/evaluate.csv\"\noutput = \"" + folder +
         "/data\"\nheader = true\nminimum_count = 2\nmax_unknown = 1.0\n" + R"(
[[preprocess.column]]
name = "user_age"
kind = "category"
cross = ["user", "age"]
[[preprocess.column]]
name = "id"
kind = "key"
[[preprocess.column]]
name = "y"
kind = "label"
positive = ["yes"]
negative = ["no"]
[[preprocess.column]]
name = "price"
kind = "number"
transform = "standardise"
missing_indicator = true
[[preprocess.column]]
name = "clicks"
kind = "number"
transform = "log1p"
fill_value = 3.0
[[preprocess.column]]
name = "user"
kind = "category"
[[preprocess.column]]
name = "tags"
kind = "category"
separator = "|"
weighted = true
max_values = 2
[[preprocess.column]]
name = "age"
kind = "category"
buckets = [18.0, 40.0, 65.0]
[[preprocess.column]]
name = "when"
kind = "time"
time = "iso"
parts = ["hour", "weekday"]
[[preprocess.column]]
name = "item"
kind = "category"
ids = "hashed"
max_rows = 97
[[preprocess.column]]
name = "comment"
kind = "skip"
[[preprocess.column]]
name = "importance"
kind = "weight"
)" + "[data]\ntrain = \"" +
         folder + "/data/train.h5\"\nevaluate = \"" + folder + "/data/evaluate.h5\"\n" + R"(
[train]
batch_size = 64
steps = 4
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
[[table]]
name = "user"
[[table]]
name = "tags"
weighted = true
[[table]]
name = "age"
[[table]]
name = "when_hour"
[[table]]
name = "item"
[[table]]
name = "user_age"
)";
}

/// Writes the rows of raw_deck(), preprocesses them, and trains.
class RawJob {
 public:
  RawJob(const std::string& folder, RawTable train, RawTable evaluate, const std::string& deck)
      : evaluated(std::move(evaluate)) {
    train.write(folder + "/train.csv");
    evaluated.write(folder + "/evaluate.csv");
    preprocess::run(comm::Communicator(MPI_COMM_WORLD), deck::parse_deck(deck, "deck").preprocess);
    trained.emplace(deck);
  }

  RawTable evaluated;
  std::optional<Trained> trained;
};

}  // namespace tesserec
