// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/data/batch.hpp>
#include <tesserec/preprocess/write_log.hpp>

namespace tesserec::preprocess {

/// Samples of a source in their order, in blocks of a fixed size.
class SampleBlocks {
 public:
  static constexpr Index block_samples = 32768;

  /// Takes the execution space of the batches, the source and its seed.
  SampleBlocks(const Exec& exec, const LogSource& source, std::uint64_t seed);

  const data::SourceInfo& info() const { return source_->info(); }
  Index blocks() const { return (info().samples + block_samples - 1) / block_samples; }
  /// Reads a block. Going on with the block after the last one is fastest.
  const data::Batch& read(Index block);

 private:
  std::unique_ptr<data::Source> source_;
  data::Batch batch_;
  Index next_ = 0;
};

/// Packs a text that comes in pieces.
class Packer {
 public:
  virtual ~Packer() = default;
  /// Packs a piece, and ends the packed bytes if it is the last one. Returns the bytes that are ready.
  virtual std::string pack(const std::string& text, bool last) = 0;
};

/// Makes a packer into one gzip member.
std::unique_ptr<Packer> gzip_packer();

/// Writes samples of Criteo's form to FOLDER/NAME-NUMBER.tsv, .tsv.gz or .parquet. A dense feature x becomes the count
/// round(100 e^x). Ranks take the files in turn. Returns the names of all files. Collective. Throws Error, naming the
/// sample, for a label other than 0 and 1 or an id beyond 8 hexadecimal digits.
std::vector<std::string> write_raw(const comm::Communicator& comm, const std::string& folder, const std::string& name,
                                   const LogWriting& writing, SampleBlocks& blocks);

/// Writes a data set. Each rank generates its run of the blocks twice, to count and to write. Returns the number of
/// ids. Collective.
Index write_samples(const comm::Communicator& comm, const std::string& path, Index part_bytes, SampleBlocks& blocks);

}  // namespace tesserec::preprocess
