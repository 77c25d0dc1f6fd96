// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <deque>

#include "block_reader.hpp"
#include "encoded_block.hpp"
#include "job_key.hpp"
#include "packing.hpp"
#include "phase_progress.hpp"
#include "scratch_folder.hpp"
#include "tally_files.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/dataset.hpp>
#include <tesserec/raw/quantiles.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/verdict/facts.hpp>

namespace tesserec::preprocess {
namespace {

std::vector<std::string> source_lines(const std::vector<RawFile>& files, const std::vector<std::uint64_t>& digests) {
  std::vector<std::string> lines;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const std::string name = files[f].path.substr(files[f].path.rfind('/') + 1);
    lines.push_back(concat(name, ", ", files[f].bytes, " bytes, xxh3 ", hex(digests[f])));
  }
  return lines;
}

/// Returns the digests of the files. If a text whose rows are kept was changed since, gives the first reading's work up
/// and throws Error. Collective.
std::vector<std::uint64_t> file_digests_of(const comm::Communicator& comm, const Survey& survey,
                                           const ScratchFolder& scratch) {
  std::vector<ReadText> read;
  for (const TextRange& range : survey.ranges)
    if (!range.kept.empty()) read.push_back({range.range, range.count.text, range.count.digested});
  return digests(comm, survey.files, read, [&] { scratch.mark_stale(); });
}

/// Returns one of the counts, summed over all files, of the columns [first, last).
std::vector<Index> counts_of(const DatasetReport& report, Index ColumnCounts::*member, std::size_t first,
                             std::size_t last) {
  std::vector<Index> all;
  for (std::size_t c = first; c < last; ++c) all.push_back(report.column(c).*member);
  return all;
}

store::Attributes attributes_of(const Survey& survey, const Encoding& encoding,
                                const std::vector<std::uint64_t>& digests) {
  const std::size_t dense = encoding.layout.dense_features.size(), columns = dense + encoding.layout.features.size();
  store::Attributes attributes = {{"format", std::string(data::dataset_format)},
                                  {"version", data::dataset_version},
                                  {"samples", survey.report.rows},
                                  {"bad_rows", survey.report.bad_rows()},
                                  {"features", encoding.layout.features},
                                  {"rows", encoding.rows()},
                                  {"minimum_count", encoding.minimum_count},
                                  {"vocabulary_digest", encoding.vocabulary_digest},
                                  {"dense_features", encoding.layout.dense_features},
                                  {"transforms", encoding.transform_descriptions()},
                                  {"missing_numbers", counts_of(survey.report, &ColumnCounts::missing, 0, dense)},
                                  {"clipped_numbers", counts_of(survey.report, &ColumnCounts::clipped, 0, dense)},
                                  {"missing_values", counts_of(survey.report, &ColumnCounts::missing, dense, columns)},
                                  {"unknown_values", counts_of(survey.report, &ColumnCounts::unknown, dense, columns)},
                                  {"sources", source_lines(survey.files, digests)}};
  if (survey.targets == Targets::required) {
    attributes["label_values"] = encoding.layout.labels;
    if (!encoding.layout.time.empty()) attributes["time"] = encoding.layout.time;
    std::vector<Index> counts(survey.report.labels.begin(), survey.report.labels.end());
    counts.insert(counts.end(), survey.report.further_labels.begin(), survey.report.further_labels.end());
    attributes["label_counts"] = counts;
    if (!encoding.layout.tasks.empty()) attributes["tasks"] = encoding.layout.tasks;
  } else {
    attributes["labelled"] = std::int64_t{0};
    std::vector<std::string> skipped;
    for (const FileReport& file : survey.report.files) skipped.insert(skipped.end(), file.bad.begin(), file.bad.end());
    if (!skipped.empty()) attributes["skipped_rows"] = skipped;
  }
  if (survey.side.records != nullptr)
    attributes[split_attribute] = std::string(survey.side.evaluation ? "evaluation rows" : "training rows");
  if (!survey.key_bytes.empty()) attributes["keys"] = encoding.layout.keys;
  if (!encoding.bases.empty()) attributes[bases_attribute] = encoding.bases;
  const std::vector<FeatureForm>& forms = encoding.layout.forms;
  if (std::any_of(forms.begin(), forms.end(),
                  [](const FeatureForm& form) { return form.hashed() || !form.definition.empty(); })) {
    std::vector<std::string> rules;
    for (const FeatureForm& form : forms) rules.push_back(form.rule());
    attributes[rules_attribute] = rules;
    if (!encoding.collisions.empty()) attributes["collisions"] = encoding.collisions;
  }
  if (const std::vector<std::string> times = time_forms(encoding.layout); !times.empty())
    attributes[times_attribute] = times;
  const std::vector<std::string>& borders = encoding.layout.borders;
  if (std::any_of(borders.begin(), borders.end(), [](const std::string& text) { return !text.empty(); }))
    attributes[borders_attribute] = borders;
  if (encoding.layout.jagged()) attributes["cut_values"] = counts_of(survey.report, &ColumnCounts::cut, dense, columns);
  return attributes;
}

store::PartsLayout layout_of(const SampleShapes& shapes, const Encoding& encoding, bool with_vocabulary,
                             Index part_bytes) {
  using store::ElementType;
  std::vector<std::vector<store::DatasetShape>> groups = shapes.groups;
  for (std::size_t f = 0; with_vocabulary && f < encoding.vocabularies.size(); ++f) {
    if (encoding.layout.forms[f].hashed()) continue;
    const std::string group = "vocabulary/" + encoding.layout.features[f];
    const Vocabulary& vocabulary = encoding.vocabularies[f];
    groups.push_back({{group + "/tokens", ElementType::u8, vocabulary.bytes()}});
    groups.push_back({{group + "/offsets", ElementType::i64, vocabulary.rows() + 1}});
  }
  return store::PartsLayout(std::move(groups), part_bytes);
}

/// Returns the rank that writes each part: the rank with the part's first row, so that little is sent. Deals parts of
/// the vocabulary out in turn. Collective.
std::vector<int> owners_of(const comm::Communicator& comm, const Survey& survey, const store::PartsLayout& layout,
                           const SampleShapes& shapes) {
  std::vector<Index> own(1 + survey.all_values.size(), 0);  // ends of this rank's rows, then of its values [F]
  if (!survey.own().empty()) {
    const TextRange& last = survey.own().back();
    own[0] = last.first_row + last.count.rows;
    for (std::size_t f = 0; f < last.values.size(); ++f) own[1 + f] = last.first_value[f] + last.values[f];
  }
  const std::vector<Index> ends = comm.all_gather_equal(std::span<const Index>(own));
  std::vector<int> owners;
  for (int part = 0; part < layout.parts(); ++part) {
    const auto& runs = layout.of_part(part);
    if (runs.empty() || runs.front().dataset >= shapes.feature_of.size()) {
      owners.push_back(part % comm.size());
      continue;
    }
    const std::size_t column = 1 + shapes.feature_of[runs.front().dataset];
    int rank = 0;
    while (rank + 1 < comm.size() && ends[rank * own.size() + column] <= runs.front().first_row) ++rank;
    owners.push_back(rank);
  }
  return owners;
}

/// Place of the rows in a data set, and what an earlier start wrote of them.
struct RowsOfSet {
  const SampleShapes& shapes;
  TallyFiles tallies;
};

/// Returns whether an earlier start left all parts that have rows of a range.
bool has_rows(const parallel_io::PartedWriter& writer, const SampleShapes& shapes, const TextRange& range) {
  for (std::size_t d = 0; d < shapes.feature_of.size(); ++d) {
    const Index f = shapes.feature_of[d];
    const Index first = f < 0 ? range.first_row : range.first_value[std::size_t(f)];
    const Index end = first + (f < 0 ? range.count.rows : range.values[std::size_t(f)]);
    for (const store::PartsLayout::Run& run : writer.layout().of_dataset(d))
      if (run.first_row < end && first < run.end() && !writer.has(run.part)) return false;
  }
  return true;
}

/// Takes the tallies of the ranges that an earlier start has written, and returns the others, as runs of this rank's
/// ranges. Returns all ranges if `all_rows`. Collective.
std::vector<Range> ranges_to_write(const parallel_io::PartedWriter& writer, const SampleShapes& shapes,
                                   const Survey& survey, const TallyFiles& files, bool all_rows, ColumnTally& tally) {
  // Sequences are known by their place in all of the rank's text.
  if (all_rows || survey.side.sequences != nullptr)
    return std::vector<Range>(survey.own().empty() ? 0 : 1, {0, std::ssize(survey.own())});
  const std::vector<std::string> tallies = files.read();
  std::vector<Range> runs;
  for (Index i = 0; i < std::ssize(survey.own()); ++i) {
    if (!tallies[std::size_t(i)].empty() && has_rows(writer, shapes, survey.own()[std::size_t(i)]))
      tally.add_packed(i, tallies[std::size_t(i)]);
    else if (!runs.empty() && runs.back().end == i)
      runs.back().end = i + 1;
    else
      runs.push_back({i, i + 1});
  }
  return runs;
}

/// Returns a digest of what decides the rows of a data set and where its parts are cut. It is the same on all ranks.
/// Collective.
std::string content_key(const comm::Communicator& comm, const Survey& survey, const Encoding& encoding,
                        const WriteRules& rules) {
  std::string key;
  pack_text(rules.scratch.key(), key);
  pack_text(rules.name, key);
  pack_text(encoding.vocabulary_digest, key);
  for (const Index number : {encoding.minimum_count, rules.part_bytes}) pack_number(std::uint64_t(number), key);
  for (const std::string& transform : encoding.transform_descriptions()) pack_text(transform, key);
  // Ranges of Parquet have no digests, so stamps tell a file that has changed. Ranks may see other stamps.
  pack_text(comm.broadcast(files_key(survey.files), 0), key);
  pack_list(std::span<const Index>(survey.all_values), key);
  pack_list(std::span<const Index>(survey.key_bytes), key);
  for (const TextRange& range : survey.ranges) {
    const Index numbers[] = {range.range.file, range.range.bytes.begin, range.range.bytes.end, range.count.rows};
    pack_list(std::span<const Index>(numbers), key);
    pack_list(std::span<const std::uint64_t>(&range.count.text, 1), key);
  }
  return store::checksum_text(store::bytes_checksum("rows", key.data(), std::ssize(key)));
}

void write_rows(const comm::Communicator& comm, parallel_io::PartedWriter& writer, Survey& survey,
                const RowFormat& format, const Encoding& encoding, RowsOfSet rows, const WriteRules& rules) {
  auto& [shapes, tallies] = rows;
  std::vector<Index> files;
  for (const TextRange& range : survey.own()) files.push_back(range.range.file);
  ColumnTally tally(encoding.layout, files, survey.files.size());
  EncodedBlock block(survey, encoding, rules.memory);
  BlockReader reader(survey, encoding, format, rules.scratch,
                     ranges_to_write(writer, shapes, survey, tallies, rules.all_rows, tally));
  const std::vector<FileRange> own = file_ranges(survey.own());
  PhaseProgress progress(comm, "writing " + rules.name, survey.files, own);
  for (Index round = 0;; ++round) {
    comm::note("block of rows", round);
    Index read = 0;
    comm::agree(comm, [&] { read = reader.next(block, tally, progress); });
    if (comm.max(read) == 0) break;
    writer.write(block.pieces());
    comm::agree(comm, [&] {
      reader.for_each_done([&](Index range) { tallies.add(range, tally); });
      tallies.seal(false);
    });
  }
  comm::agree(comm, [&] {
    reader.for_each_done([&](Index range) { tallies.add(range, tally); });
    tallies.seal(true);
  });
  progress.finish();
  const bool last = comm.rank() + 1 == comm.size();
  if (!shapes.offsets.empty())
    writer.write(last ? block.last_offsets(shapes) : std::vector<parallel_io::PartedWriter::SlabData>());
  tally.gather(comm, survey.report);
  for (const TextRange& range : survey.ranges) {
    verdict::FileFacts& file = survey.report.facts.files[std::size_t(range.range.file)];
    file.gzip_members += range.count.gzip_members;
    file.not_utf8 += range.count.not_utf8;
    file.weightless += range.weightless;
  }
}

}  // namespace

std::unique_ptr<parallel_io::PartedWriter> write_dataset(const comm::Communicator& comm, const std::string& path,
                                                         Survey& survey, const RowFormat& format,
                                                         const Encoding& encoding, const WriteRules& rules) {
  if (rules.with_vocabulary) survey.key_bytes.clear();  // Training files have no keys.
  const std::vector<std::uint64_t> file_digests = file_digests_of(comm, survey, rules.scratch);
  const SampleShapes shapes = sample_shapes(survey, encoding);
  store::PartsLayout layout = layout_of(shapes, encoding, rules.with_vocabulary, rules.part_bytes);
  std::vector<int> owners = owners_of(comm, survey, layout, shapes);
  constexpr Index images_share = 8;  // of the memory, for parts that wait for the disk
  const std::string key = content_key(comm, survey, encoding, rules);
  auto writer = std::make_unique<parallel_io::PartedWriter>(comm, path, std::move(layout), std::move(owners),
                                                            rules.lock_wait, key, rules.memory / images_share);
  write_rows(comm, *writer, survey, format, encoding, {shapes, {rules.scratch, key, survey}}, rules);
  for (std::size_t f = 0; f < file_digests.size(); ++f) survey.report.facts.files[f].content = hex(file_digests[f]);
  if (rules.with_vocabulary) write_vocabulary(*writer, comm, encoding, shapes.feature_of.size());
  writer->end(attributes_of(survey, encoding, file_digests));
  writer->prepare();
  return writer;
}

}  // namespace tesserec::preprocess
