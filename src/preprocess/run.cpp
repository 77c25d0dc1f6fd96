// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "checked_format.hpp"
#include "column_tally.hpp"
#include "encoding.hpp"
#include "expand_columns.hpp"
#include "findings.hpp"
#include "job_key.hpp"
#include "line_reader.hpp"
#include "outputs.hpp"
#include "quantiles.hpp"
#include "raw_files.hpp"
#include "row_split.hpp"
#include "scratch_folder.hpp"
#include "sequences.hpp"
#include "survey.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/node.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/memory_limits.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/preprocess/block_fault.hpp>
#include <tesserec/preprocess/run.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/row_format.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::preprocess {
namespace {

Encoding encoding_of(const comm::Communicator& comm, const Output& train, const Settings& settings,
                     const RowLayout& layout, const Learning& learning) {
  const std::string& vocabulary = settings.vocabulary;
  if (vocabulary.empty()) return learn_encoding(comm, train.survey, layout, learning);
  const bool labelled = train.wanted() || !settings.evaluate.empty();
  Encoding encoding = read_encoding(comm, vocabulary, layout, labelled);
  if (settings.extend) extend_encoding(comm, train.survey, learning, encoding);
  if (settings.minimum_count != encoding.minimum_count && settings.minimum_count > 1 && comm.rank() == 0)
    log_warning(concat("preprocess.minimum_count = ", settings.minimum_count, " is ignored, because the ids come from ",
                       vocabulary, ", which was made with ", encoding.minimum_count));
  return encoding;
}

/// Returns the memory of this rank, bytes: its share of preprocess.memory, else half of what it may use. Collective.
Index memory_of_rank(const comm::Communicator& comm, Index memory) {
  if (memory > 0) return memory / comm.size();
  const int sharing = comm::ranks_per_node(comm);
  return comm.min(std::min(process_memory().bytes, node_memory().bytes / sharing) / 2);
}

/// Other files that decide rows, as they were before they were read.
struct OtherFiles {
  std::vector<RawFile> side_tables = {}, history = {};
};

/// Returns the key of the job's scratch folder: of its first data set, so that counts of the training files are good
/// for other evaluation files, too. With sequences it is of all, because those of a row may have items of any file.
/// Rank 0 makes it. Collective.
std::string key_of(const comm::Communicator& comm, const Settings& settings, std::span<Output* const> outputs,
                   const OtherFiles& other) {
  const auto first = std::find_if(outputs.begin(), outputs.end(), [](const Output* o) { return o->wanted(); });
  std::vector<RawFile> others = other.side_tables;
  others.insert(others.end(), other.history.begin(), other.history.end());
  for (const Output* output : outputs)
    if (!settings.sequences.empty()) others.insert(others.end(), output->files.begin(), output->files.end());
  std::string key;
  comm::agree(comm, [&] {
    if (comm.rank() == 0) key = job_key(settings, (*first)->files, others);
  });
  return comm.broadcast(key, 0);
}

/// Adds what is known of the written datasets to the report, with what is odd about them.
void describe(const Encoding& encoding, const Settings& settings, const std::array<Output*, 3>& outputs,
              PreprocessReport& report) {
  for (Output* output : outputs) {
    if (!output->wanted()) continue;
    output->report = std::move(output->survey.report);
    output->report.output = output->path;
    output->report.facts.name = output->name;
    output->report.facts.labelled = output->targets() == Targets::required;
    if (output->report.facts.labelled) output->report.tasks = encoding.layout.tasks;
    const auto weight = std::ranges::find(encoding.layout.columns, ColumnKind::weight, &Column::kind);
    if (weight != encoding.layout.columns.end()) output->report.facts.weight = weight->name;
    output->report.facts.side = output->side.records != nullptr;
  }
  report.dense_features = encoding.layout.dense_features;
  report.transforms = encoding.transform_descriptions();
  report.features = encoding.layout.features;
  report.borders = encoding.layout.borders;
  for (const FeatureForm& form : encoding.layout.forms) report.kinds.push_back(form.kind());
  report.values = encoding.values;
  report.collisions = encoding.collisions;
  report.ids = encoding.rows();
  report.vocabulary = settings.vocabulary;
  for (std::size_t f = 0; f < encoding.base_rows.size(); ++f)
    report.new_ids.push_back(report.ids[f] - encoding.base_rows[f]);
  if (!encoding.base_rows.empty()) report.known = encoding.known;
  report.changed_times = encoding.changed_times;
  report.max_unknown = settings.max_unknown;
  report.findings = find_oddities(report);
}

/// Returns the beginning of the names of a data set's scratch files. Collective.
std::string prefix_of(const comm::Communicator& comm, const Output& output) {
  return concat(output.name, "-", comm.broadcast(files_key(output.files), 0), "-");
}

/// Finds the sequences of all files, and gives them to the outputs. Returns those of the files of `history`, of
/// training, of evaluation and to predict. Collective.
std::vector<std::unique_ptr<RecordSequences>> sequence_rows(const comm::Communicator& comm, const Settings& settings,
                                                            const RowFormat& format, const ScratchFolder& scratch,
                                                            const std::array<Output*, 3>& outputs,
                                                            const std::vector<RawFile>& history,
                                                            PreprocessReport& report) {
  if (settings.sequences.empty()) return {};
  const auto& [train, evaluate, predict] = outputs;
  const bool splits = evaluate->side.records != nullptr;
  const std::vector<RawFile> none;
  SequenceCounts counts;
  auto sequences = find_sequences(comm,
                                  {{&history, Targets::unread},
                                   {&train->files, Targets::required},
                                   {splits ? &none : &evaluate->files, Targets::required},
                                   {&predict->files, Targets::unread}},
                                  format, settings, scratch.folder(), counts);
  report.unsequenced = counts.untimed;
  report.history = counts.history;
  train->side.sequences = sequences[1].get();
  evaluate->side.sequences = sequences[splits ? 1 : 2].get();
  predict->side.sequences = sequences[3].get();
  return sequences;
}

/// Throws Error if other files were changed, and gives the work up that used them. Collective.
void require_others_unchanged(const comm::Communicator& comm, const OtherFiles& other, const ScratchFolder& scratch) {
  comm::agree(comm, [&] {
    try {
      require_unchanged(other.side_tables);
      require_unchanged(other.history);
    } catch (const Error&) {
      scratch.mark_stale();
      throw;
    }
  });
}

/// Reads the raw files of all outputs, learns or reads the encoding, and writes and publishes the datasets. Collective.
void convert(const comm::Communicator& comm, const Settings& settings, RowFormat& format, const ScratchFolder& scratch,
             const std::array<Output*, 3>& outputs, const OtherFiles& other, PreprocessReport& report) {
  const auto& [train, evaluate, predict] = outputs;
  const Index memory = memory_of_rank(comm, settings.memory);
  find_borders(comm, format, scratch,
               {train->files, settings.vocabulary, settings.missing, {train->side.records}, memory, settings.bad_rows});
  const auto sequences = sequence_rows(comm, settings, format, scratch, outputs, other.history, report);
  // The first pass finds every fault of the text before anything is written.
  for (Output* output : outputs)
    if (output->wanted()) {
      const SurveyRules rules{output->name,   prefix_of(comm, *output), settings.bad_rows,
                              output->learns, output->targets(),        memory,
                              output->side};
      output->survey = survey(comm, std::move(output->files), format, scratch, rules);
    }
  const Learning learning{scratch, settings.minimum_count, memory};
  const Encoding encoding = encoding_of(comm, *train, settings, format.layout(), learning);
  train->survey.runs = {};

  // The training files are last, since the others are smaller and may be refused. Renaming waits until all are on disk.
  for (Output* output : {evaluate, predict, train}) {
    if (!output->wanted()) continue;
    output->file = write_dataset(
        comm, output->path, output->survey, format, encoding,
        {scratch, output->name, output == train, settings.part_bytes, settings.lock_wait, memory, settings.strict});
    // A split by users or days may leave all values unknown.
    if (!output->learns && output->side.records == nullptr)
      require_known(output->survey.report, encoding.layout, encoding.known_values(), settings.max_unknown);
    require_joined(output->survey.report, encoding.layout, settings.max_unknown);
  }
  require_others_unchanged(comm, other, scratch);
  describe(encoding, settings, outputs, report);
  if (settings.strict) require_nothing_odd(report.findings);
  publish(outputs);
}

/// Converts in a scratch folder, which an interrupted job leaves for the next start. Collective.
void convert(const comm::Communicator& comm, const Settings& settings, RowFormat& format,
             const std::array<Output*, 3>& outputs, const OtherFiles& other, PreprocessReport& report) {
  const Timer timer;
  ScratchFolder scratch(comm, settings.output, key_of(comm, settings, outputs, other), settings.lock_wait);
  try {
    convert(comm, settings, format, scratch, outputs, other, report);
  } catch (const Stopped&) {
    scratch.keep();
    throw;
  } catch (const std::exception&) {
    if (!scratch.keep_of_failure(timer.seconds()) && comm.rank() == 0)
      for (const Output* output : outputs)
        if (output->wanted()) parallel_io::PartedWriter::remove_drafts(output->path);
    throw;
  }
}

}  // namespace

PreprocessReport run(const comm::Communicator& comm, const Settings& deck_settings) {
  const Timer timer;
  Settings settings = deck_settings;
  PreprocessReport report;
  if (const auto wrong = fault(settings.split, settings)) fail("preprocess.split.", wrong->key, " ", wrong->text);
  const bool splits = settings.split.by != SplitBy::none && !settings.train.empty();
  if (splits) settings.evaluate = settings.train;
  Output train{"train", settings.train, report.train}, evaluate{"evaluate", settings.evaluate, report.evaluate},
      predict{"predict", settings.predict, report.predict};
  const std::array<Output*, 3> all = {&train, &evaluate, &predict};
  if (settings.train.empty() && settings.evaluate.empty() && settings.predict.empty())
    fail("preprocess.train is empty; name at least one raw file");
  if (settings.output.empty())
    fail("preprocess.output is empty; name the folder for train.h5, evaluate.h5 and predict.h5");
  for (Output* output : all) output->path = concat(settings.output, "/", output->name, ".h5");
  comm::agree(comm, [&] { settings.vocabulary = vocabulary_of(settings, train.path); });
  train.learns = settings.vocabulary.empty() || settings.extend;

  for (Output* output : all) output->files = find_raw_files(comm, output->patterns, output->key());
  comm::agree(comm, [&] {
    if (splits || comm.rank() != 0) return;
    if (const auto shared = store::files_of_both(settings.evaluate, settings.train); !shared.empty())
      log_warning(concat("preprocess.evaluate and preprocess.train both name ", join(shared),
                         ", so the model is evaluated on samples that it is trained on"));
  });
  for (const Output* output : all)
    if (output->wanted()) {
      expand_columns(comm, output->files.front(), settings);
      break;
    }
  OtherFiles other;
  for (std::size_t j = 0; j < settings.joins.size(); ++j)
    for (const RawFile& file : find_raw_files(comm, {settings.joins[j].file}, concat("preprocess.join.", j, ".file")))
      other.side_tables.push_back(file);
  if (!settings.sequences.empty()) other.history = find_raw_files(comm, settings.history, "preprocess.history");
  comm::agree(comm, [&] { require_apart(deck_settings); });
  std::unique_ptr<RowFormat> format;
  comm::agree(comm, [&] { format = make_row_format(settings); });
  report.joins = format->layout().joins;
  comm::agree(comm, [&] {
    if (comm.rank() == 0) store::make_output_folder(settings.output, "preprocess.output");
  });

  const RowSplit split = splits ? split_rows(comm, train.files, *format, settings) : RowSplit();
  report.split = split.report;
  if (splits) {
    train.side = {&split.records, false};
    evaluate.side = {&split.records, true};
  }
  convert(comm, settings, *format, all, other, report);
  if (train.wanted() && comm.rank() == 0) warn_of_older(all);
  report.seconds = timer.seconds();
  return report;
}

}  // namespace tesserec::preprocess
