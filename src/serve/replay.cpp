// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>

#include "score_log.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/model_delta.hpp>
#include <tesserec/scoring/run_follower.hpp>
#include <tesserec/serve/replay.hpp>
#include <tesserec/store/checkpoint_list.hpp>

namespace tesserec::serve {
namespace {

/// Place of a line in a log.
struct LinePlace {
  std::streamoff offset = 0;
  Index number = 0;
  Index scores = 0;
};

/// A log of scores, whose lines are found by the state that scored.
class LogReader {
 public:
  /// Reads the whole log once, but keeps only the places of its lines.
  LogReader(std::string path, Replayed& result) : path_(std::move(path)), file_(path_, std::ios::binary) {
    std::string line;
    if (!file_ || !std::getline(file_, line)) fail(path_, ": cannot read it, or it is empty; name the file of --log");
    head_ = at_line(1, [&] { return parse_score_log_head(line); });
    for (Index number = 2;; ++number) {
      const std::streamoff offset = file_.tellg();
      if (!std::getline(file_, line)) break;
      if (file_.eof()) {  // no end of line
        ++result.cut_lines;
        break;
      }
      const LoggedScores logged = at_line(number, [&] { return parse_score_line(head_, line); });
      ++result.requests;
      result.scores += std::ssize(logged.scores);
      lines_[{logged.step, logged.digest}].push_back({offset, number, std::ssize(logged.scores)});
    }
    file_.clear();
  }

  const ScoreLogHead& head() const { return head_; }
  const std::string& path() const { return path_; }
  bool has(const store::Continued& state) const { return lines_.count({state.step, state.seal}) != 0; }
  /// Calls body(line number, request and scores) for each line of a state, and forgets these lines.
  template <class Body>
  void each(const store::Continued& state, const Body& body) {
    std::string line;
    for (const LinePlace& place : lines_[{state.step, state.seal}]) {
      file_.seekg(place.offset);
      std::getline(file_, line);
      at_line(place.number, [&] { body(place.number, parse_score_line(head_, line)); });
    }
    lines_.erase({state.step, state.seal});
  }
  /// Adds the states whose lines are left.
  void add_missing(Replayed& result) const {
    for (const auto& [state, places] : lines_) {
      Index scores = 0;
      for (const LinePlace& place : places) scores += place.scores;
      result.missing += scores;
      result.missing_states.push_back(concat("step ", state.first, ", digest ", state.second, ": ",
                                             counted(scores, "score"), ", the first in line ", places.front().number));
    }
  }

 private:
  template <class Read>
  std::invoke_result_t<Read> at_line(Index number, const Read& read) const {
    try {
      return read();
    } catch (const Error& error) {
      fail(path_, ":", number, ": ", error.what(), "; the log is damaged, or of another program");
    }
  }

  std::string path_;
  std::ifstream file_;
  ScoreLogHead head_;
  std::map<std::pair<Index, std::string>, std::vector<LinePlace>> lines_;  // of each (step, digest)
};

/// Returns the format that a server was given for a checkpoint's rows, if tables with these dimensions then have the
/// log's formats; nullopt if none gives them.
std::optional<scoring::ServedFormat> format_of(const ScoreLogHead& head, const scoring::ServedModel& model) {
  for (const auto& [_, format] : scoring::row_formats()) {
    bool fits = head.formats.size() == model.tables().size();
    for (std::size_t t = 0; fits && t < head.formats.size(); ++t)
      fits = head.formats[t] == name(scoring::format_of_rows(format, model.tables()[t].config.embedding_dim));
    if (fits) return format;
  }
  return std::nullopt;
}

/// Opens a model with the log's inputs and formats of rows, of a state as it is now.
std::unique_ptr<scoring::ServedModel> open_as(const Exec& exec, const LogReader& log, const std::string& folder) {
  auto model = std::make_unique<scoring::ServedModel>(exec, folder);
  if (const ScoreLogHead own = score_log_head(*model); own == log.head()) return model;
  if (const auto format = format_of(log.head(), *model); format && !scoring::is_model_folder(folder))
    model = std::make_unique<scoring::ServedModel>(exec, folder, format);
  if (score_log_head(*model) != log.head())
    fail(folder, " has other features, rows of another format, or products of another precision than the model of ",
         log.path(), "; name the model that was served");
  return model;
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof(float)) == 0; }

void compare(const scoring::ServedModel& model, LogReader& log, Replayed& result) {
  const scoring::TrainedFacts& facts = model.facts();
  if (!log.has({facts.step, facts.seal})) return;
  ++result.states;
  scoring::ScoringContext context(model);
  std::vector<float> scores;
  log.each({facts.step, facts.seal}, [&](Index number, const LoggedScores& logged) {
    scores.resize(logged.scores.size());
    context.score({.samples = logged.request.samples,
                   .dense = logged.request.dense.data(),
                   .sparse = logged.request.bags(),
                   .shared_dense = logged.request.shared_dense},
                  scores.data());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (same_bits(scores[i], logged.scores[i])) continue;
      if (result.differ++ > 0) continue;
      const Index labels = model.label_count(), sample = Index(i) / labels, label = Index(i) % labels;
      const std::string of_label = labels > 1 ? ", label " + model.labels()[std::size_t(label)] : "";
      result.first =
          concat(log.path(), ":", number, ": sample ", sample, of_label, ": the log has ", shortest(logged.scores[i]),
                 ", but the state of step ", facts.step, " gives ", shortest(scores[i]));
    }
  });
}

}  // namespace

Replayed replay_scores(const Exec& exec, const std::string& path, const std::string& folder) {
  Replayed result;
  LogReader log(path, result);
  if (std::filesystem::exists(folder + "/manifest.json")) {
    compare(*open_as(exec, log, folder), log, result);
    log.add_missing(result);
    return result;
  }
  const std::string checkpoints = store::checkpoints_of(folder);
  const std::vector<store::Checkpoint> deltas = store::whole_deltas(checkpoints);
  std::vector<store::Checkpoint> bases = store::whole_checkpoints(checkpoints);
  if (bases.empty()) fail(folder, ": there is neither a model folder nor a run's checkpoint");
  std::ranges::reverse(bases);
  for (const store::Checkpoint& base : bases) {
    std::vector<store::Checkpoint> states = store::chain_of(base, deltas).states;
    while (!states.empty() && !log.has({states.back().step, states.back().seal})) states.pop_back();
    std::unique_ptr<scoring::ServedModel> model;
    for (const store::Checkpoint& state : states) {
      try {
        if (model == nullptr)
          model = open_as(exec, log, state.folder);
        else
          model->apply(exec, scoring::read_model_delta(exec, state.folder, *model));
      } catch (const Error&) {
        if (store::is_unchanged(state)) throw;
        break;  // the run has removed or replaced it meanwhile, so scores of the states from here on are missing
      }
      compare(*model, log, result);
    }
  }
  log.add_missing(result);
  return result;
}

}  // namespace tesserec::serve
