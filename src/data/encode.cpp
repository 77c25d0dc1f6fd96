// SPDX-License-Identifier: Apache-2.0
#include "encode.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "column_tally.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/data/dataset.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::data {
namespace {

/// Rows that are encoded and written at once by each rank.
constexpr Index block_rows = 32768;

/// Encoded rows, in the shapes of the file.
struct Block {
  Index rows = 0;
  std::vector<std::uint8_t> labels;  ///< [rows]
  std::vector<float> dense;          ///< [rows, K]
  std::vector<std::int32_t> ids;     ///< [rows, F]
  std::vector<float> weights;        ///< [rows]
};

void read_block(RowStream& stream, const Encoding& encoding, Row& row, Block& block, ColumnTally& tally) {
  block.rows = 0;
  block.labels.clear();
  block.dense.clear();
  block.ids.clear();
  block.weights.clear();
  while (block.rows < block_rows && stream.next(row)) {
    block.labels.push_back(row.label);
    for (std::size_t k = 0; k < row.numbers.size(); ++k) block.dense.push_back(encoding.transforms[k](row.numbers[k]));
    for (std::size_t f = 0; f < row.tokens.size(); ++f) block.ids.push_back(encoding.vocabularies[f].id(row.tokens[f]));
    block.weights.push_back(row.weight);
    tally.add(stream.file(), row, block.dense.data() + block.dense.size() - row.numbers.size(),
              block.ids.data() + block.ids.size() - row.tokens.size());
    ++block.rows;
  }
}

std::vector<std::string> source_lines(const std::vector<RawFile>& files, const std::vector<std::uint64_t>& digests) {
  std::vector<std::string> lines;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const std::string name = files[f].path.substr(files[f].path.rfind('/') + 1);
    lines.push_back(concat(name, ", ", files[f].bytes, " bytes, xxh3 ", hex(digests[f])));
  }
  return lines;
}

/// One of the counts of the columns from `first` to `last`, all files together.
std::vector<Index> counts_of(const DatasetReport& report, Index ColumnCounts::*member, std::size_t first,
                             std::size_t last) {
  std::vector<Index> all;
  for (std::size_t c = first; c < last; ++c) all.push_back(report.column(c).*member);
  return all;
}

store::Attributes attributes_of(const Survey& survey, const Encoding& encoding,
                                const std::vector<std::uint64_t>& digests) {
  const std::size_t dense = encoding.layout.dense_features.size(), all = dense + encoding.layout.features.size();
  return {{"format", std::string(dataset_format)},
          {"version", dataset_version},
          {"samples", survey.report.rows},
          {"label_values", encoding.layout.labels},
          {"label_counts", std::vector<Index>(survey.report.labels.begin(), survey.report.labels.end())},
          {"bad_rows", survey.report.bad_rows()},
          {"features", encoding.layout.features},
          {"rows", encoding.rows()},
          {"minimum_count", encoding.minimum_count},
          {"vocabulary_digest", encoding.vocabulary_digest()},
          {"dense_features", encoding.layout.dense_features},
          {"transforms", encoding.transform_descriptions()},
          {"missing_numbers", counts_of(survey.report, &ColumnCounts::missing, 0, dense)},
          {"clipped_numbers", counts_of(survey.report, &ColumnCounts::clipped, 0, dense)},
          {"missing_values", counts_of(survey.report, &ColumnCounts::missing, dense, all)},
          {"unknown_values", counts_of(survey.report, &ColumnCounts::unknown, dense, all)},
          {"sources", source_lines(survey.files, digests)}};
}

/// The samples' datasets are cut at the same rows, so that a part holds whole samples.
enum SampleDataset : std::size_t { labels, dense, ids, weights };

/// Weights are there if rows have them.
std::size_t first_of_vocabulary(const Encoding& encoding) { return encoding.layout.weighted ? weights + 1 : weights; }

store::PartsLayout layout_of(const Survey& survey, const Encoding& encoding, bool with_vocabulary, Index part_bytes) {
  using store::ElementType;
  const Index rows = survey.report.rows;
  std::vector<std::vector<store::DatasetShape>> groups = {
      {{"labels", ElementType::u8, rows},
       {"dense", ElementType::f32, rows, std::ssize(encoding.transforms)},
       {"sparse/ids", ElementType::i32, rows, std::ssize(encoding.vocabularies)}}};
  if (encoding.layout.weighted) groups.front().push_back({"weights", ElementType::f32, rows});
  for (std::size_t f = 0; with_vocabulary && f < encoding.vocabularies.size(); ++f) {
    const std::string group = "vocabulary/" + encoding.layout.features[f];
    const Vocabulary& vocabulary = encoding.vocabularies[f];
    groups.push_back({{group + "/tokens", ElementType::u8, std::ssize(vocabulary.bytes())}});
    groups.push_back({{group + "/offsets", ElementType::i64, vocabulary.rows() + 1}});
  }
  return store::PartsLayout(std::move(groups), part_bytes);
}

/// A part is written by the rank that has its first sample, so that little travels.
std::vector<int> owners_of(const comm::Communicator& comm, const Survey& survey, const store::PartsLayout& layout,
                           const Encoding& encoding) {
  const std::vector<Index> ends = comm.all_gather(survey.first_row + survey.rows);
  std::vector<int> owners;
  for (int part = 0; part < layout.parts(); ++part) {
    const auto& runs = layout.of_part(part);
    const bool samples = !runs.empty() && runs.front().dataset < first_of_vocabulary(encoding);
    const auto rank = samples ? std::upper_bound(ends.begin(), ends.end(), runs.front().first_row) - ends.begin()
                              : part % comm.size();
    owners.push_back(rank);
  }
  return owners;
}

/// Every rank has all of the vocabulary: each gives what lies in its parts.
void write_vocabulary(store::PartedWriter& writer, const comm::Communicator& comm, const Encoding& encoding) {
  std::vector<std::vector<Index>> offsets;
  for (const Vocabulary& vocabulary : encoding.vocabularies) offsets.push_back(vocabulary.offsets());
  std::vector<store::PartedWriter::SlabData> pieces;
  const std::size_t first = first_of_vocabulary(encoding);
  for (int part = 0; part < writer.layout().parts(); ++part)
    for (const store::PartsLayout::Run& run : writer.layout().of_part(part)) {
      if (run.dataset < first || writer.owner(part) != comm.rank()) continue;
      const std::size_t feature = (run.dataset - first) / 2;
      const bool tokens = (run.dataset - first) % 2 == 0;
      const void* data = tokens
                             ? static_cast<const void*>(encoding.vocabularies[feature].bytes().data() + run.first_row)
                             : offsets[feature].data() + run.first_row;
      pieces.push_back({run.dataset, {run.first_row, run.rows}, data});
    }
  writer.write(pieces);
}

[[noreturn]] void fail_changed(const RawFile& file) {
  fail(file.path,
       " was changed while it was being read; leave the raw files alone until the command ends, and start it again");
}

/// Error when a file changed since it was found, or the second reading met another text in it than the first.
void require_same_texts(const Survey& survey, const RowStream& stream) {
  require_unchanged(survey.files);
  for (std::size_t r = 0; r < stream.counts().size(); ++r)
    if (stream.counts()[r].text != survey.texts[r]) fail_changed(survey.files[survey.ranges[r].file]);
}

void write_rows(const comm::Communicator& comm, store::PartedWriter& writer, Survey& survey, const RowFormat& format,
                const Encoding& encoding) {
  // Bad rows were judged in the first reading; now they are passed over.
  RowStream stream(survey.files, survey.ranges, format, BadRows::skip);
  ColumnTally tally(encoding.layout, survey.files.size());
  Row row;
  Block block;
  const Index rounds = (comm.max(survey.rows) + block_rows - 1) / block_rows;
  Index done = 0;
  for (Index round = 0; round < rounds; ++round) {
    comm::note("block of rows", round);
    comm::agree(comm, [&] {
      read_block(stream, encoding, row, block, tally);
      const Index wanted = std::min(block_rows, survey.rows - done);
      const bool ends = done + wanted == survey.rows;
      if (block.rows == wanted && !(ends && stream.next(row))) return;
      require_same_texts(survey, stream);
      fail_changed(survey.files[stream.file()]);
    });
    const store::Slab mine{survey.first_row + done, block.rows};
    const store::PartedWriter::SlabData pieces[] = {{labels, mine, block.labels.data()},
                                                    {dense, mine, block.dense.data()},
                                                    {ids, mine, block.ids.data()},
                                                    {weights, mine, block.weights.data()}};
    writer.write(std::span(pieces).first(first_of_vocabulary(encoding)));
    done += block.rows;
  }
  comm::agree(comm, [&] { require_same_texts(survey, stream); });
  tally.gather(comm, survey.report);
}

}  // namespace

std::vector<std::string> Encoding::transform_descriptions() const {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < transforms.size(); ++k)
    texts.push_back(layout.indicator[k] ? "missing_indicator" : transforms[k].description());
  return texts;
}

std::vector<Index> Encoding::rows() const {
  std::vector<Index> rows;
  for (const Vocabulary& vocabulary : vocabularies) rows.push_back(vocabulary.rows());
  return rows;
}

std::vector<std::string> Encoding::known_values() const {
  std::vector<std::string> values;
  for (const Vocabulary& vocabulary : vocabularies)
    values.push_back(vocabulary.rows() > 1 ? shown(vocabulary.token(1)) : std::string());
  return values;
}

std::string Encoding::vocabulary_digest() const {
  std::map<std::string, std::uint64_t> checksums;
  for (std::size_t f = 0; f < vocabularies.size(); ++f) {
    const std::string& name = layout.features[f];
    const std::vector<Index> offsets = vocabularies[f].offsets();
    checksums[name + "/tokens"] =
        store::bytes_checksum(name + "/tokens", vocabularies[f].bytes().data(), std::ssize(vocabularies[f].bytes()));
    checksums[name + "/offsets"] =
        store::bytes_checksum(name + "/offsets", offsets.data(), Index(offsets.size() * sizeof(Index)));
  }
  return store::combined_digest(checksums);
}

std::unique_ptr<store::PartedWriter> write_dataset(const comm::Communicator& comm, const std::string& path,
                                                   Survey& survey, const RowFormat& format, const Encoding& encoding,
                                                   bool with_vocabulary, const PreprocessSettings& settings) {
  const std::vector<std::uint64_t> file_digests = digests(comm, survey.files);
  store::PartsLayout layout = layout_of(survey, encoding, with_vocabulary, settings.part_bytes);
  std::vector<int> owners = owners_of(comm, survey, layout, encoding);
  auto writer =
      std::make_unique<store::PartedWriter>(comm, path, std::move(layout), std::move(owners), settings.lock_wait);
  write_rows(comm, *writer, survey, format, encoding);
  if (with_vocabulary) write_vocabulary(*writer, comm, encoding);
  writer->prepare(attributes_of(survey, encoding, file_digests));
  return writer;
}

}  // namespace tesserec::data
