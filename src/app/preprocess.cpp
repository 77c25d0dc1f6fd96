// SPDX-License-Identifier: Apache-2.0
// Command `tesserec preprocess`: converts raw click logs to HDF5 datasets.
#include <functional>

#include "command.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/freed_memory.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/preprocess/propose.hpp>
#include <tesserec/preprocess/run.hpp>

namespace tesserec::app {
namespace {

/// Makes an object with each column's counts, by name. `rows`, `counts`: the rows and counts of a file or of all files.
Json columns_json(const preprocess::PreprocessReport& report, Index rows,
                  const std::function<preprocess::ColumnCounts(std::size_t)>& counts) {
  Json columns = Json::object();
  const std::size_t dense = report.dense_features.size();
  for (std::size_t c = 0; c < dense + report.features.size(); ++c) {
    const preprocess::ColumnCounts count = counts(c);
    const double missing = rows > 0 ? double(count.missing) / double(rows) : 0.0;
    Json column = Json::object().set("missing", count.missing).set("missing_share", missing);
    if (c < dense)
      column.set("clipped", count.clipped).set("large", count.large);
    else
      column.set("unknown", count.unknown)
          .set("unknown_share", count.unknown_share())
          .set("values", count.values)
          .set("cut_rows", count.clipped)
          .set("cut", count.cut);
    columns.set(c < dense ? report.dense_features[c] : report.features[c - dense], column);
  }
  return columns;
}

/// Makes an object with a file's rows and bad rows.
Json file_json(const preprocess::FileReport& file) {
  Json reasons = Json::object();
  for (const auto& [reason, count] : file.reasons) reasons.set(reason, count);
  return Json::object()
      .set("path", file.path)
      .set("rows", file.rows)
      .set("bad_rows", file.bad_rows)
      .set("unlabelled", file.unlabeled)
      .set("reasons", reasons)
      .set("bad", file.bad);
}

Json dataset_json(const preprocess::PreprocessReport& all, const preprocess::DatasetReport& report) {
  Json files = Json::array(), top = Json::object();
  for (std::size_t f = 0; f < report.top.size(); ++f) {
    Json values = Json::array();
    for (const preprocess::ValueCount& value : report.top[f])
      values.add(Json::object().set("value", value.value).set("count", value.count));
    top.set(all.features[f], values);
  }
  for (std::size_t f = 0; f < report.files.size(); ++f) {
    const preprocess::FileReport& file = report.files[f];
    files.add(file_json(file)
                  .set("positives", report.facts.files[f].positives)
                  .set("columns", columns_json(all, file.rows, [&](std::size_t c) { return file.columns[c]; })));
  }
  Json labels = Json::object();
  for (std::size_t t = 0; t < report.tasks.size(); ++t)
    labels.set(report.tasks[t],
               Json::object().set("negatives", report.label_counts(t)[0]).set("positives", report.label_counts(t)[1]));
  Json json = Json::object();
  json.set("output", report.output)
      .set("rows", report.rows)
      .set("bad_rows", report.bad_rows())
      .set("negatives", report.labels[0])
      .set("positives", report.labels[1]);
  if (!report.tasks.empty()) json.set("labels", labels);
  return json.set("columns", columns_json(all, report.rows, [&](std::size_t c) { return report.column(c); }))
      .set("most_frequent", top)
      .set("files", files);
}

Json split_json(const preprocess::SplitReport& split) {
  if (split.rule.empty()) return Json();
  return Json::object()
      .set("rule", split.rule)
      .set("border", split.border)
      .set("train", split.train)
      .set("evaluate", split.evaluate)
      .set("without_time", split.untimed)
      .set("without_user", split.unnamed)
      .set("users", split.users)
      .set("single_row_users", split.single);
}

/// Makes an array with each side table and the rows that lack one in it.
Json joins_json(const preprocess::PreprocessReport& report) {
  const std::size_t columns = report.dense_features.size() + report.features.size();
  Json joins = Json::array();
  for (std::size_t j = 0; j < report.joins.size(); ++j) {
    const preprocess::JoinedTable& table = report.joins[j];
    Json join =
        Json::object().set("file", table.file).set("on", table.on).set("rows", table.rows).set("bytes", table.bytes);
    for (const auto& [name, set] : {std::pair("train", &report.train), std::pair("evaluate", &report.evaluate),
                                    std::pair("predict", &report.predict)})
      if (!set->output.empty()) join.set(name + std::string("_rows_without"), set->column(columns + j).unknown);
    joins.add(join);
  }
  return joins;
}

/// Prints a deck for the raw files of the command line.
int propose(const Invocation& invocation, const comm::Communicator& comm) {
  if (invocation.paths.empty())
    fail("tesserec preprocess --propose needs raw files: tesserec preprocess --propose FILE...");
  if (!invocation.overrides.empty())
    fail("tesserec preprocess --propose reads no deck, so it takes no --set; set the key in the deck that it prints");
  std::string deck;
  comm::agree(comm, [&] {
    if (comm.rank() == 0) deck = preprocess::proposed_deck(invocation.paths);
  });
  if (invocation.json)
    print(comm, Json::object().set("deck", deck));
  else
    print(comm, deck);
  return 0;
}

}  // namespace

int preprocess(const Invocation& invocation, const comm::Communicator& comm) {
  if (invocation.has("--propose")) return propose(invocation, comm);
  deck::Deck deck = invocation.read_deck();
  deck::require_preprocess(deck);
  deck.preprocess.part_bytes = deck.run.part_bytes;
  deck.preprocess.lock_wait = deck.run.lock_wait;
  constexpr Index smallest_memory = Index{512} << 10;  // bytes of a rank; less is mostly lists of where runs stand
  Index& memory = deck.preprocess.memory;
  if (memory > 0 && memory < smallest_memory * comm.size()) {
    if (comm.rank() == 0)
      log_warning(concat("preprocess.memory = ", memory, " (bytes) is less than 512 KiB for each of ", comm.size(),
                         " ranks, which is used instead"));
    memory = smallest_memory * comm.size();
  }
  keep_freed_memory();
  const preprocess::PreprocessReport report = preprocess::run(comm, deck.preprocess);
  Json history = Json::array();
  for (const preprocess::FileReport& file : report.history) history.add(file_json(file));
  for (const std::string& line : preprocess::summary(report)) log_info(line);
  for (const std::string& line : verdict::lines(report.findings)) log_info(line);
  if (invocation.json)
    print(comm, Json::object()
                    .set("train", dataset_json(report, report.train))
                    .set("evaluate", dataset_json(report, report.evaluate))
                    .set("predict", dataset_json(report, report.predict))
                    .set("split", split_json(report.split))
                    .set("joins", joins_json(report))
                    .set("rows_in_no_sequence", report.unsequenced)
                    .set("history", history)
                    .set("features", report.features)
                    .set("borders", report.borders)
                    .set("kinds", report.kinds)
                    .set("values", report.values)
                    .set("collisions", report.collisions)
                    .set("ids", report.ids)
                    .set("vocabulary", report.vocabulary)
                    .set("new_ids", report.new_ids)
                    .set("dense_features", report.dense_features)
                    .set("transforms", report.transforms)
                    .set("findings", verdict::json_of(report.findings))
                    .set("seconds", report.seconds));
  return 0;
}

}  // namespace tesserec::app
