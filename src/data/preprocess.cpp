// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>

#include "encode.hpp"
#include "raw_files.hpp"
#include "row_format.hpp"
#include "survey.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/data/preprocess.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::data {
namespace {

namespace fs = std::filesystem;

Encoding learn(const comm::Communicator& comm, Survey& train, const RowLayout& layout, Index minimum_count) {
  Encoding encoding{layout, make_transforms(layout, train.moments), {}, minimum_count};
  for (std::size_t f = 0; f < layout.features.size(); ++f) {
    const TokenCounts counts = merge(comm, train.tokens[f]);
    train.tokens[f] = {};
    comm::agree(comm, [&] { encoding.vocabularies.emplace_back(layout.features[f], counts, minimum_count); });
  }
  return encoding;
}

void lines_of(const DatasetReport& report, const char* name, std::vector<std::string>& lines) {
  if (report.output.empty()) return;
  lines.push_back(concat(name, ": ", report.rows, " rows, ", significant(100.0 * report.labels[1] / report.rows, 4),
                         " % positive, in ", report.output));
  for (const FileReport& file : report.files) {
    if (file.bad_rows == 0) continue;
    lines.push_back(concat(file.path, ": ", file.bad_rows, " bad rows left out, ", file.rows, " kept; for example"));
    for (const std::string& bad : file.bad) lines.push_back("  " + bad);
  }
}

}  // namespace

Index DatasetReport::bad_rows() const {
  Index sum = 0;
  for (const FileReport& file : files) sum += file.bad_rows;
  return sum;
}

PreprocessReport preprocess(const comm::Communicator& comm, const PreprocessSettings& settings) {
  const Timer timer;
  if (settings.train.empty()) fail("preprocess.train: name at least one raw file");
  if (settings.output.empty()) fail("preprocess.output: name the folder for train.h5 and evaluate.h5");
  const std::unique_ptr<RowFormat> format = make_row_format(settings);
  const bool evaluates = !settings.evaluate.empty();

  std::vector<RawFile> train_files = find_raw_files(comm, settings.train, "preprocess.train");
  std::vector<RawFile> evaluate_files = find_raw_files(comm, settings.evaluate, "preprocess.evaluate");
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

  // Second reading. Both files are on the disk before one of them takes its name.
  const std::string train_path = settings.output + "/train.h5", evaluate_path = settings.output + "/evaluate.h5";
  const auto train_file = write_dataset(comm, train_path, train, *format, encoding, true, settings);
  if (evaluates) {
    const auto evaluate_file = write_dataset(comm, evaluate_path, evaluate, *format, encoding, false, settings);
    train_file->publish();
    evaluate_file->publish();
  } else {
    train_file->publish();
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
  report.ids = encoding.rows();
  report.seconds = timer.seconds();
  return report;
}

std::vector<std::string> summary(const PreprocessReport& report) {
  std::vector<std::string> lines;
  lines_of(report.train, "train", lines);
  lines_of(report.evaluate, "evaluate", lines);
  Index ids = 0;
  for (const Index n : report.ids) ids += n;
  lines.push_back(concat(report.dense_features.size(), " dense features, ", report.features.size(),
                         " sparse features with ", ids, " ids together"));
  return lines;
}

}  // namespace tesserec::data
