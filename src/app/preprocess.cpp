// SPDX-License-Identifier: Apache-2.0
// Command `tesserec preprocess`: converts raw click logs to HDF5 datasets.
#include <functional>

#include "command.hpp"
#include <tesserec/core/log.hpp>
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

Json dataset_json(const preprocess::PreprocessReport& all, const preprocess::DatasetReport& report) {
  Json files = Json::array();
  for (std::size_t f = 0; f < report.files.size(); ++f) {
    const preprocess::FileReport& file = report.files[f];
    files.add(Json::object()
                  .set("path", file.path)
                  .set("rows", file.rows)
                  .set("positives", report.facts.files[f].positives)
                  .set("bad_rows", file.bad_rows)
                  .set("unlabelled", file.unlabeled)
                  .set("bad", file.bad)
                  .set("columns", columns_json(all, file.rows, [&](std::size_t c) { return file.columns[c]; })));
  }
  return Json::object()
      .set("output", report.output)
      .set("rows", report.rows)
      .set("bad_rows", report.bad_rows())
      .set("negatives", report.labels[0])
      .set("positives", report.labels[1])
      .set("columns", columns_json(all, report.rows, [&](std::size_t c) { return report.column(c); }))
      .set("files", files);
}

}  // namespace

int preprocess(const Invocation& invocation, const comm::Communicator& comm) {
  deck::Deck deck = invocation.read_deck();
  deck::require_preprocess(deck);
  deck.preprocess.part_bytes = deck.run.part_bytes;
  deck.preprocess.lock_wait = deck.run.lock_wait;
  const preprocess::PreprocessReport report = preprocess::run(comm, deck.preprocess);
  for (const std::string& line : preprocess::summary(report)) log_info(line);
  for (const std::string& line : verdict::lines(report.findings)) log_info(line);
  if (invocation.json)
    print(comm, Json::object()
                    .set("train", dataset_json(report, report.train))
                    .set("evaluate", dataset_json(report, report.evaluate))
                    .set("predict", dataset_json(report, report.predict))
                    .set("features", report.features)
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
