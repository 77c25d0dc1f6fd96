// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>

#include "column_tally.hpp"
#include "encode.hpp"
#include "raw_files.hpp"
#include "row_format.hpp"
#include "survey.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/data/preprocess.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::data {
namespace {

namespace fs = std::filesystem;

Encoding learn(const comm::Communicator& comm, Survey& train, const RowLayout& layout, Index minimum_count) {
  Encoding encoding{layout, make_transforms(layout, train.moments), {}, minimum_count, {}};
  for (std::size_t f = 0; f < layout.features.size(); ++f) {
    const TokenCounts counts = merge(comm, train.tokens[f]);
    train.tokens[f] = {};
    encoding.values.push_back(counts.tokens.size());
    comm::agree(comm, [&] { encoding.vocabularies.emplace_back(layout.features[f], counts, minimum_count); });
  }
  return encoding;
}

}  // namespace

PreprocessReport preprocess(const comm::Communicator& comm, const PreprocessSettings& settings) {
  const Timer timer;
  if (settings.train.empty()) fail("preprocess.train: name at least one raw file");
  if (settings.output.empty()) fail("preprocess.output: name the folder for train.h5 and evaluate.h5");
  const std::unique_ptr<RowFormat> format = make_row_format(settings);
  const bool evaluates = !settings.evaluate.empty();

  std::vector<RawFile> train_files = find_raw_files(comm, settings.train, "preprocess.train");
  std::vector<RawFile> evaluate_files = find_raw_files(comm, settings.evaluate, "preprocess.evaluate");
  if (const auto shared = store::files_of_both(settings.evaluate, settings.train); !shared.empty() && comm.rank() == 0)
    log_warning(concat("preprocess.evaluate and preprocess.train both name ", join(shared),
                       ": the metrics there are of samples that the model has learnt by heart"));
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    try {
      store::make_folder_durably(settings.output);
    } catch (const Error& error) {
      fail(error.what(), "; set preprocess.output");
    }
  });

  // First reading: everything that can be wrong with the text is found before anything is written.
  Survey train = survey(comm, std::move(train_files), *format, settings.bad_rows, true);
  Survey evaluate;
  if (evaluates) evaluate = survey(comm, std::move(evaluate_files), *format, settings.bad_rows, false);
  const Encoding encoding = learn(comm, train, format->layout(), settings.minimum_count);

  // Second reading, of the evaluation files first: they are the smaller ones and may be refused. Both files are on the
  // disk before one of them takes its name.
  const std::string train_path = settings.output + "/train.h5", evaluate_path = settings.output + "/evaluate.h5";
  std::unique_ptr<store::PartedWriter> evaluate_file;
  if (evaluates) {
    evaluate_file = write_dataset(comm, evaluate_path, evaluate, *format, encoding, false, settings);
    require_known(evaluate.report, encoding.layout, encoding.known_values(), settings.max_unknown);
  }
  const auto train_file = write_dataset(comm, train_path, train, *format, encoding, true, settings);
  const Signals::Orderly orderly;  // both or none
  train_file->publish();
  if (evaluates) {
    evaluate_file->publish();
  } else {
    if (comm.rank() == 0 && fs::exists(evaluate_path))
      log_warning(evaluate_path + " is from an earlier run and may not share the vocabulary of the new train.h5");
  }

  PreprocessReport report;
  report.train = std::move(train.report);
  report.train.output = train_path;
  if (evaluates) {
    report.evaluate = std::move(evaluate.report);
    report.evaluate.output = evaluate_path;
  }
  report.dense_features = encoding.layout.dense_features;
  report.transforms = encoding.transform_descriptions();
  report.features = encoding.layout.features;
  report.values = encoding.values;
  report.ids = encoding.rows();
  report.max_unknown = settings.max_unknown;
  report.seconds = timer.seconds();
  return report;
}

}  // namespace tesserec::data
