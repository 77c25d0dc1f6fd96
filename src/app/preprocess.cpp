// SPDX-License-Identifier: Apache-2.0
// tesserec preprocess: raw click logs to HDF5 data sets.
#include "command.hpp"
#include <tesserec/core/log.hpp>
#include <tesserec/data/preprocess.hpp>

namespace tesserec::app {
namespace {

Json dataset_json(const data::DatasetReport& report) {
  Json files = Json::array();
  for (const data::FileReport& file : report.files)
    files.add(Json::object()
                  .set("path", file.path)
                  .set("rows", file.rows)
                  .set("bad_rows", file.bad_rows)
                  .set("bad", file.bad));
  return Json::object()
      .set("output", report.output)
      .set("rows", report.rows)
      .set("bad_rows", report.bad_rows())
      .set("negatives", report.labels[0])
      .set("positives", report.labels[1])
      .set("files", files);
}

}  // namespace

int preprocess(const Invocation& invocation, const comm::Communicator& comm) {
  deck::Deck deck = invocation.read_deck();
  deck::require_preprocess(deck);
  deck.preprocess.part_bytes = deck.run.part_bytes;
  deck.preprocess.lock_wait = deck.run.lock_wait;
  const data::PreprocessReport report = data::preprocess(comm, deck.preprocess);
  for (const std::string& line : data::summary(report)) log_info(line);
  if (invocation.json)
    print(comm, Json::object()
                    .set("train", dataset_json(report.train))
                    .set("evaluate", dataset_json(report.evaluate))
                    .set("features", report.features)
                    .set("ids", report.ids)
                    .set("dense_features", report.dense_features)
                    .set("transforms", report.transforms)
                    .set("seconds", report.seconds));
  return 0;
}

}  // namespace tesserec::app
