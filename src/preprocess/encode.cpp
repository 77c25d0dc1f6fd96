// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "encoded_block.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/dataset.hpp>

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
                                  {"vocabulary_digest", encoding.vocabulary_digest()},
                                  {"dense_features", encoding.layout.dense_features},
                                  {"transforms", encoding.transform_descriptions()},
                                  {"missing_numbers", counts_of(survey.report, &ColumnCounts::missing, 0, dense)},
                                  {"clipped_numbers", counts_of(survey.report, &ColumnCounts::clipped, 0, dense)},
                                  {"missing_values", counts_of(survey.report, &ColumnCounts::missing, dense, columns)},
                                  {"unknown_values", counts_of(survey.report, &ColumnCounts::unknown, dense, columns)},
                                  {"sources", source_lines(survey.files, digests)}};
  if (survey.targets == Targets::required) {
    attributes["label_values"] = encoding.layout.labels;
    attributes["label_counts"] = std::vector<Index>(survey.report.labels.begin(), survey.report.labels.end());
  } else {
    attributes["labelled"] = std::int64_t{0};
    std::vector<std::string> skipped;
    for (const FileReport& file : survey.report.files) skipped.insert(skipped.end(), file.bad.begin(), file.bad.end());
    if (!skipped.empty()) attributes["skipped_rows"] = skipped;
  }
  if (!survey.key_bytes.empty()) attributes["keys"] = encoding.layout.keys;
  if (!encoding.bases.empty()) attributes[bases_attribute] = encoding.bases;
  const std::vector<FeatureForm>& forms = encoding.layout.forms;
  if (std::any_of(forms.begin(), forms.end(), [](const FeatureForm& form) { return form.hashed(); })) {
    std::vector<std::string> rules;
    for (const FeatureForm& form : forms) rules.push_back(form.rule());
    attributes[rules_attribute] = rules;
    if (!encoding.collisions.empty()) attributes["collisions"] = encoding.collisions;
  }
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
    groups.push_back({{group + "/tokens", ElementType::u8, std::ssize(vocabulary.bytes())}});
    groups.push_back({{group + "/offsets", ElementType::i64, vocabulary.rows() + 1}});
  }
  return store::PartsLayout(std::move(groups), part_bytes);
}

/// Returns the rank that writes each part: the rank with the part's first row, so that little is sent. Deals parts of
/// the vocabulary out in turn. Collective.
std::vector<int> owners_of(const comm::Communicator& comm, const Survey& survey, const store::PartsLayout& layout,
                           const SampleShapes& shapes) {
  std::vector<Index> own = {survey.first_row + survey.rows};  // ends of this rank's rows, then of its values [F]
  for (std::size_t f = 0; f < survey.values.size(); ++f) own.push_back(survey.first_value[f] + survey.values[f]);
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

/// Writes the vocabularies. Every rank has all of them and writes the rows of its own parts. `first`: number of the
/// first HDF5 dataset of the vocabularies. Collective.
void write_vocabulary(parallel_io::PartedWriter& writer, const comm::Communicator& comm, const Encoding& encoding,
                      std::size_t first) {
  std::vector<const Vocabulary*> vocabularies;
  std::vector<std::vector<Index>> offsets;
  for (std::size_t f = 0; f < encoding.vocabularies.size(); ++f) {
    if (encoding.layout.forms[f].hashed()) continue;
    vocabularies.push_back(&encoding.vocabularies[f]);
    offsets.push_back(encoding.vocabularies[f].offsets());
  }
  std::vector<parallel_io::PartedWriter::SlabData> pieces;
  for (int part = 0; part < writer.layout().parts(); ++part)
    for (const store::PartsLayout::Run& run : writer.layout().of_part(part)) {
      if (run.dataset < first || writer.owner(part) != comm.rank()) continue;
      const std::size_t number = (run.dataset - first) / 2;
      const bool tokens = (run.dataset - first) % 2 == 0;
      const void* data = tokens ? static_cast<const void*>(vocabularies[number]->bytes().data() + run.first_row)
                                : offsets[number].data() + run.first_row;
      pieces.push_back({run.dataset, {run.first_row, run.rows}, data});
    }
  writer.write(pieces);
}

[[noreturn]] void fail_changed(const RawFile& file) {
  fail(file.path,
       " was changed while it was being read; leave the raw files alone until the command ends, and start it again");
}

/// Throws Error if a file has changed since it was found, or if the second pass read another text than the first.
void require_same_texts(const Survey& survey, const RowStream& stream) {
  require_unchanged(survey.files);
  for (std::size_t r = 0; r < stream.counts().size(); ++r)
    if (stream.counts()[r].text != survey.texts[r]) fail_changed(survey.files[survey.ranges[r].file]);
}

void write_rows(const comm::Communicator& comm, parallel_io::PartedWriter& writer, Survey& survey,
                const RowFormat& format, const Encoding& encoding, const SampleShapes& shapes) {
  // The first pass has judged the bad rows, so they are skipped now.
  RowStream stream(survey.files, survey.ranges, format, BadRows::skip, survey.targets);
  ColumnTally tally(encoding.layout, survey.files.size());
  EncodedBlock block(survey, encoding);
  const Index rounds = (comm.max(survey.rows) + block_rows - 1) / block_rows;
  Index done = 0;
  for (Index round = 0; round < rounds; ++round) {
    comm::note("block of rows", round);
    comm::agree(comm, [&] {
      const Index rows = block.read(stream, tally), wanted = std::min(block_rows, survey.rows - done);
      const bool ends = done + wanted == survey.rows;
      done += rows;
      if (Row row; rows == wanted && !(ends && stream.next(row))) return;
      require_same_texts(survey, stream);
      fail_changed(survey.files[stream.file()]);
    });
    writer.write(block.pieces());
  }
  comm::agree(comm, [&] { require_same_texts(survey, stream); });
  const bool last = comm.rank() + 1 == comm.size();
  if (!shapes.offsets.empty())
    writer.write(last ? block.last_offsets(shapes) : std::vector<parallel_io::PartedWriter::SlabData>());
  tally.gather(comm, stream.counts(), survey.report);
}

}  // namespace

std::unique_ptr<parallel_io::PartedWriter> write_dataset(const comm::Communicator& comm, const std::string& path,
                                                         Survey& survey, const RowFormat& format,
                                                         const Encoding& encoding, bool with_vocabulary,
                                                         const Settings& settings) {
  if (with_vocabulary) survey.key_bytes.clear();  // Training files have no keys.
  const std::vector<std::uint64_t> file_digests = digests(comm, survey.files);
  const SampleShapes shapes = sample_shapes(survey, encoding);
  store::PartsLayout layout = layout_of(shapes, encoding, with_vocabulary, settings.part_bytes);
  std::vector<int> owners = owners_of(comm, survey, layout, shapes);
  auto writer =
      std::make_unique<parallel_io::PartedWriter>(comm, path, std::move(layout), std::move(owners), settings.lock_wait);
  write_rows(comm, *writer, survey, format, encoding, shapes);
  for (std::size_t f = 0; f < file_digests.size(); ++f) survey.report.facts.files[f].content = hex(file_digests[f]);
  if (with_vocabulary) write_vocabulary(*writer, comm, encoding, shapes.feature_of.size());
  writer->prepare(attributes_of(survey, encoding, file_digests));
  return writer;
}

}  // namespace tesserec::preprocess
