// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "column_tally.hpp"
#include "encoding.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/dataset.hpp>

namespace tesserec::data {
namespace {

/// Number of rows that a rank encodes and writes at once.
constexpr Index block_rows = 32768;

/// Block of encoded rows, in the shapes of the file.
struct Block {
  Index rows = 0;
  std::vector<std::uint8_t> labels;             ///< labels [rows]
  std::vector<float> dense;                     ///< dense features [rows, K] row-major
  std::vector<std::int32_t> ids;                ///< ids [rows, F] row-major
  std::vector<float> weights;                   ///< sample weights [rows]
  std::vector<std::vector<std::uint8_t>> keys;  ///< texts of each key column [rows, key_bytes], zero-padded
};

void read_block(RowStream& stream, const Encoding& encoding, const std::vector<Index>& key_bytes, Row& row,
                Block& block, ColumnTally& tally) {
  block.rows = 0;
  block.labels.clear();
  block.dense.clear();
  block.ids.clear();
  block.weights.clear();
  block.keys.assign(key_bytes.size(), {});
  while (block.rows < block_rows && stream.next(row)) {
    block.labels.push_back(row.label);
    for (std::size_t k = 0; k < row.numbers.size(); ++k) block.dense.push_back(encoding.transforms[k](row.numbers[k]));
    for (std::size_t f = 0; f < row.tokens.size(); ++f) block.ids.push_back(encoding.vocabularies[f].id(row.tokens[f]));
    block.weights.push_back(row.weight);
    for (std::size_t k = 0; k < block.keys.size(); ++k) {
      const auto size = block.keys[k].size();
      block.keys[k].resize(size + key_bytes[k], 0);
      std::copy(row.keys[k].begin(), row.keys[k].end(), block.keys[k].begin() + size);
    }
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
  store::Attributes attributes = {{"format", std::string(dataset_format)},
                                  {"version", dataset_version},
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
  return attributes;
}

/// Returns the shapes of the samples' HDF5 datasets. One group cuts them at the same rows, so a part has whole samples.
std::vector<store::DatasetShape> sample_datasets(const Survey& survey, const Encoding& encoding) {
  using store::ElementType;
  const Index rows = survey.report.rows;
  const bool targets = survey.targets == Targets::required;
  std::vector<store::DatasetShape> shapes;
  if (targets) shapes.push_back({"labels", ElementType::u8, rows});
  shapes.push_back({"dense", ElementType::f32, rows, std::ssize(encoding.transforms)});
  shapes.push_back({"sparse/ids", ElementType::i32, rows, std::ssize(encoding.vocabularies)});
  if (targets && encoding.layout.weighted) shapes.push_back({"weights", ElementType::f32, rows});
  for (std::size_t k = 0; k < survey.key_bytes.size(); ++k)
    shapes.push_back({"keys/" + encoding.layout.keys[k], ElementType::u8, rows, survey.key_bytes[k]});
  return shapes;
}

/// Returns a block's rows as slabs `slab` of the HDF5 datasets, in the order of sample_datasets().
std::vector<parallel_io::PartedWriter::SlabData> pieces_of(const Block& block, store::Slab slab, const Survey& survey,
                                                           const Encoding& encoding) {
  const bool targets = survey.targets == Targets::required;
  std::vector<const void*> data;
  if (targets) data.push_back(block.labels.data());
  data.insert(data.end(), {block.dense.data(), block.ids.data()});
  if (targets && encoding.layout.weighted) data.push_back(block.weights.data());
  for (const std::vector<std::uint8_t>& key : block.keys) data.push_back(key.data());
  std::vector<parallel_io::PartedWriter::SlabData> pieces;
  for (const void* column : data) pieces.push_back({pieces.size(), slab, column});
  return pieces;
}

store::PartsLayout layout_of(const Survey& survey, const Encoding& encoding, bool with_vocabulary, Index part_bytes) {
  using store::ElementType;
  std::vector<std::vector<store::DatasetShape>> groups = {sample_datasets(survey, encoding)};
  for (std::size_t f = 0; with_vocabulary && f < encoding.vocabularies.size(); ++f) {
    const std::string group = "vocabulary/" + encoding.layout.features[f];
    const Vocabulary& vocabulary = encoding.vocabularies[f];
    groups.push_back({{group + "/tokens", ElementType::u8, std::ssize(vocabulary.bytes())}});
    groups.push_back({{group + "/offsets", ElementType::i64, vocabulary.rows() + 1}});
  }
  return store::PartsLayout(std::move(groups), part_bytes);
}

/// Returns the rank that writes each part: the rank with the part's first sample, so that little is sent. Deals parts
/// of the vocabulary out in turn. Collective.
std::vector<int> owners_of(const comm::Communicator& comm, const Survey& survey, const store::PartsLayout& layout,
                           const Encoding& encoding) {
  const std::vector<Index> ends = comm.all_gather(survey.first_row + survey.rows);
  std::vector<int> owners;
  for (int part = 0; part < layout.parts(); ++part) {
    const auto& runs = layout.of_part(part);
    const bool samples = !runs.empty() && runs.front().dataset < sample_datasets(survey, encoding).size();
    const auto rank = samples ? std::upper_bound(ends.begin(), ends.end(), runs.front().first_row) - ends.begin()
                              : part % comm.size();
    owners.push_back(rank);
  }
  return owners;
}

/// Writes the vocabularies. Every rank has all of them and writes the rows of its own parts. `first`: number of the
/// first HDF5 dataset of the vocabularies. Collective.
void write_vocabulary(parallel_io::PartedWriter& writer, const comm::Communicator& comm, const Encoding& encoding,
                      std::size_t first) {
  std::vector<std::vector<Index>> offsets;
  for (const Vocabulary& vocabulary : encoding.vocabularies) offsets.push_back(vocabulary.offsets());
  std::vector<parallel_io::PartedWriter::SlabData> pieces;
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

/// Throws Error if a file has changed since it was found, or if the second pass read another text than the first.
void require_same_texts(const Survey& survey, const RowStream& stream) {
  require_unchanged(survey.files);
  for (std::size_t r = 0; r < stream.counts().size(); ++r)
    if (stream.counts()[r].text != survey.texts[r]) fail_changed(survey.files[survey.ranges[r].file]);
}

void write_rows(const comm::Communicator& comm, parallel_io::PartedWriter& writer, Survey& survey,
                const RowFormat& format, const Encoding& encoding) {
  // The first pass has judged the bad rows, so they are skipped now.
  RowStream stream(survey.files, survey.ranges, format, BadRows::skip, survey.targets);
  ColumnTally tally(encoding.layout, survey.files.size());
  Row row;
  Block block;
  const Index rounds = (comm.max(survey.rows) + block_rows - 1) / block_rows;
  Index done = 0;
  for (Index round = 0; round < rounds; ++round) {
    comm::note("block of rows", round);
    comm::agree(comm, [&] {
      read_block(stream, encoding, survey.key_bytes, row, block, tally);
      const Index wanted = std::min(block_rows, survey.rows - done);
      const bool ends = done + wanted == survey.rows;
      if (block.rows == wanted && !(ends && stream.next(row))) return;
      require_same_texts(survey, stream);
      fail_changed(survey.files[stream.file()]);
    });
    const store::Slab slab{survey.first_row + done, block.rows};
    writer.write(pieces_of(block, slab, survey, encoding));
    done += block.rows;
  }
  comm::agree(comm, [&] { require_same_texts(survey, stream); });
  tally.gather(comm, survey.report);
}

}  // namespace

std::unique_ptr<parallel_io::PartedWriter> write_dataset(const comm::Communicator& comm, const std::string& path,
                                                         Survey& survey, const RowFormat& format,
                                                         const Encoding& encoding, bool with_vocabulary,
                                                         const PreprocessSettings& settings) {
  if (with_vocabulary) survey.key_bytes.clear();  // Training files have no keys.
  const std::vector<std::uint64_t> file_digests = digests(comm, survey.files);
  store::PartsLayout layout = layout_of(survey, encoding, with_vocabulary, settings.part_bytes);
  std::vector<int> owners = owners_of(comm, survey, layout, encoding);
  auto writer =
      std::make_unique<parallel_io::PartedWriter>(comm, path, std::move(layout), std::move(owners), settings.lock_wait);
  write_rows(comm, *writer, survey, format, encoding);
  if (with_vocabulary) write_vocabulary(*writer, comm, encoding, sample_datasets(survey, encoding).size());
  writer->prepare(attributes_of(survey, encoding, file_digests));
  return writer;
}

}  // namespace tesserec::data
