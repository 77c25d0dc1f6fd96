// SPDX-License-Identifier: Apache-2.0
/// Encoded rows in the shapes of a dataset.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "block_targets.hpp"
#include "checked_rows.hpp"
#include "column_tally.hpp"
#include "encoding.hpp"
#include "kept_rows.hpp"
#include "pending_tokens.hpp"
#include "phase_progress.hpp"
#include "survey.hpp"
#include "token_batch.hpp"
#include <tesserec/parallel_io/parted_writer.hpp>

namespace tesserec::preprocess {

/// HDF5 datasets of samples, in their order in the file.
struct SampleShapes {
  /// Groups of HDF5 datasets that are cut into parts at the same rows: first those with a row per sample.
  std::vector<std::vector<store::DatasetShape>> groups;
  /// Feature whose values are the rows of each HDF5 dataset, or -1 if its rows are samples.
  std::vector<Index> feature_of;
  std::vector<std::size_t> offsets;  ///< HDF5 dataset of each feature's offsets [F], if ids are not packed
};

/// Returns the shapes of the samples' HDF5 datasets.
SampleShapes sample_shapes(const Survey& survey, const Encoding& encoding);

/// Encoder of this rank's rows, block by block. Where vocabularies are partly outside of the memory, a block is as
/// large as `memory` allows, because each block reads their files once.
class EncodedBlock {
 public:
  /// Takes the survey and the encoding, which must outlive this object, and the memory of this rank, bytes.
  EncodedBlock(const Survey& survey, const Encoding& encoding, Index memory);

  /// Goes to the first row of a range of this rank.
  void begin(const TextRange& range);
  /// Removes the rows.
  void clear();

  /// Reads and encodes the next rows and counts their values. Returns the number of rows, 0 at the end.
  Index read(CheckedRows& rows, ColumnTally& tally, PhaseProgress& progress);
  Index read(KeptRows& rows, ColumnTally& tally, PhaseProgress& progress);
  /// Returns the block's rows in the order of the HDF5 datasets of sample_shapes(), without the last offsets.
  std::vector<parallel_io::PartedWriter::SlabData> pieces() const;
  /// Returns the last offset of each feature, after the last block of the last rank.
  std::vector<parallel_io::PartedWriter::SlabData> last_offsets(const SampleShapes& shapes) const;

 private:
  /// Values of one feature.
  struct FeatureValues {
    Index first = 0;                     ///< number of the block's first value in the dataset
    Index next = 0;                      ///< number of the next value
    std::vector<Index> offsets;          ///< number of each sample's first value [rows]
    std::vector<std::int32_t> ids;       ///< ids of 32 bits [values]
    std::vector<std::int64_t> wide_ids;  ///< ids of 64 bits instead [values]
    std::vector<float> weights;          ///< weights [values], if the feature has any
    void append(Index row, Index rows, std::vector<Index>& to) const;
  };
  /// Limits of a block: rows, and bytes of encoded rows and of pending tokens, about.
  struct BlockLimits {
    Index rows, row_memory, pending_memory;
  };
  void add(const Row& row);
  void add_bags(const Row& row);
  void find_ids(std::size_t f);
  void encode_waiting(ColumnTally& tally);
  bool full() const;
  Index bytes() const;
  void resolve(ColumnTally& tally);
  void tell_facts(ColumnTally& tally);
  void resolve(std::size_t f, Index row, std::int32_t& id, ColumnTally& tally) const;

  const Survey& survey_;
  const Encoding& encoding_;
  Row row_;
  Index first_row_, rows_ = 0;
  BlockLimits most_;
  std::vector<PendingTokens> pending_;           ///< tokens outside of the memory [F]; empty if there are none
  std::vector<std::pair<Index, Index>> ranges_;  ///< first row in the block of each range, and its number
  WaitingRows waiting_;                          ///< last rows, which have no dense features and ids yet
  BlockTargets targets_;
  std::vector<float> dense_;                     ///< dense features [rows, K] row-major
  std::vector<std::int32_t> ids_;                ///< packed ids [rows, F] row-major
  std::vector<std::vector<std::uint8_t>> keys_;  ///< texts of each key column [rows, key_bytes], zero-padded
  std::vector<FeatureValues> bags_;              ///< bags [F], if ids are not packed
};

}  // namespace tesserec::preprocess
