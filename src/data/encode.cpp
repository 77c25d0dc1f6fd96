// SPDX-License-Identifier: Apache-2.0
#include "encode.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>

#include <tesserec/core/error.hpp>
#include <tesserec/store/agree.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/hdf5.hpp>

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
};

void read_block(RowStream& stream, const Encoding& encoding, Row& row, Block& block) {
  block.rows = 0;
  block.labels.clear();
  block.dense.clear();
  block.ids.clear();
  while (block.rows < block_rows && stream.next(row)) {
    block.labels.push_back(row.label);
    for (std::size_t k = 0; k < row.numbers.size(); ++k) block.dense.push_back(encoding.transforms[k](row.numbers[k]));
    for (std::size_t f = 0; f < row.tokens.size(); ++f) block.ids.push_back(encoding.vocabularies[f].id(row.tokens[f]));
    ++block.rows;
  }
}

/// A write that fails on one rank fails on all.
template <class T>
void write_together(const comm::Communicator& comm, store::File& file, const std::string& name, const store::Slab& slab,
                    const T* data) {
  store::agree(comm, [&] { file.write(name, slab, data); });
}

std::vector<std::string> source_lines(const std::vector<RawFile>& files, const std::vector<std::uint64_t>& digests) {
  std::vector<std::string> lines;
  for (std::size_t f = 0; f < files.size(); ++f) {
    char digest[17];
    std::snprintf(digest, sizeof digest, "%016llx", static_cast<unsigned long long>(digests[f]));
    const std::string name = files[f].path.substr(files[f].path.rfind('/') + 1);
    lines.push_back(name + ", " + std::to_string(files[f].bytes) + " bytes, xxh3 " + digest);
  }
  return lines;
}

void write_attributes(store::File& file, const Survey& survey, const Encoding& encoding,
                      const std::vector<std::uint64_t>& digests) {
  Index bad_rows = survey.report.bad_rows();
  file.set_attribute("/", "format", std::string("tesserec-dataset"));
  file.set_attribute("/", "version", std::int64_t{1});
  file.set_attribute("/", "samples", survey.report.rows);
  file.set_attribute("/", "label_counts", std::vector<Index>(survey.report.labels.begin(), survey.report.labels.end()));
  file.set_attribute("/", "bad_rows", bad_rows);
  file.set_attribute("/", "features", encoding.layout.features);
  file.set_attribute("/", "rows", encoding.rows());
  file.set_attribute("/", "minimum_count", encoding.minimum_count);
  file.set_attribute("/", "vocabulary_digest", encoding.vocabulary_digest());
  file.set_attribute("/", "dense_features", encoding.layout.dense_features);
  file.set_attribute("/", "transforms", encoding.transform_descriptions());
  file.set_attribute("/", "sources", source_lines(survey.files, digests));
}

void write_vocabulary(const comm::Communicator& comm, store::File& file, const Encoding& encoding) {
  for (std::size_t f = 0; f < encoding.vocabularies.size(); ++f) {
    const std::string group = "/vocabulary/" + encoding.layout.features[f];
    const std::vector<char>& bytes = encoding.vocabularies[f].bytes();
    const std::vector<Index> offsets = encoding.vocabularies[f].offsets();
    file.create_dataset<std::uint8_t>(group + "/tokens", {static_cast<Index>(bytes.size())});
    file.create_dataset<Index>(group + "/offsets", {static_cast<Index>(offsets.size())});
    const bool writes = comm.rank() == 0;
    write_together(comm, file, group + "/tokens", {.rows = writes ? static_cast<Index>(bytes.size()) : 0},
                   reinterpret_cast<const std::uint8_t*>(bytes.data()));
    write_together(comm, file, group + "/offsets", {.rows = writes ? static_cast<Index>(offsets.size()) : 0},
                   offsets.data());
  }
}

void write_rows(const comm::Communicator& comm, store::File& file, const Survey& survey, const RowFormat& format,
                const Encoding& encoding) {
  // Bad rows were judged in the first reading; now they are passed over.
  RowStream stream(survey.files, survey.pieces, format, BadRows::skip);
  Row row;
  Block block;
  const Index rounds = (comm.max(survey.rows) + block_rows - 1) / block_rows;
  Index done = 0;
  for (Index round = 0; round < rounds; ++round) {
    store::agree(comm, [&] {
      read_block(stream, encoding, row, block);
      if (block.rows != std::min(block_rows, survey.rows - done))
        fail(survey.files[survey.pieces.front().file].path,
             " or a file after it changed while it was read; start again");
    });
    const Index first = block.rows > 0 ? survey.first_row + done : 0;
    const store::Slab mine{.first_row = first, .rows = block.rows};
    write_together(comm, file, "/labels", mine, block.labels.data());
    write_together(comm, file, "/dense", mine, block.dense.data());
    write_together(comm, file, "/sparse/ids", mine, block.ids.data());
    done += block.rows;
  }
}

}  // namespace

std::vector<std::string> Encoding::transform_descriptions() const {
  std::vector<std::string> texts;
  for (const NumberTransform& transform : transforms) texts.push_back(transform.description());
  return texts;
}

std::vector<Index> Encoding::rows() const {
  std::vector<Index> rows;
  for (const Vocabulary& vocabulary : vocabularies) rows.push_back(vocabulary.rows());
  return rows;
}

std::string Encoding::vocabulary_digest() const {
  std::map<std::string, std::uint64_t> checksums;
  for (std::size_t f = 0; f < vocabularies.size(); ++f) {
    const std::string& name = layout.features[f];
    const std::vector<Index> offsets = vocabularies[f].offsets();
    checksums[name + "/tokens"] = store::bytes_checksum(name + "/tokens", vocabularies[f].bytes().data(),
                                                        static_cast<Index>(vocabularies[f].bytes().size()));
    checksums[name + "/offsets"] =
        store::bytes_checksum(name + "/offsets", offsets.data(), static_cast<Index>(offsets.size() * sizeof(Index)));
  }
  return store::combined_digest(checksums);
}

void write_dataset(const comm::Communicator& comm, const std::string& path, const Survey& survey,
                   const RowFormat& format, const Encoding& encoding, bool with_vocabulary) {
  const std::vector<std::uint64_t> file_digests = digests(comm, survey.files);
  const Index rows = survey.report.rows;
  store::File file = store::File::create(path, comm);
  write_attributes(file, survey, encoding, file_digests);
  file.create_dataset<std::uint8_t>("/labels", {rows});
  file.create_dataset<float>("/dense", {rows, static_cast<Index>(encoding.transforms.size())});
  file.create_dataset<std::int32_t>("/sparse/ids", {rows, static_cast<Index>(encoding.vocabularies.size())});
  if (with_vocabulary) write_vocabulary(comm, file, encoding);
  write_rows(comm, file, survey, format, encoding);
  store::agree(comm, [&] { file.close(); });
}

}  // namespace tesserec::data
