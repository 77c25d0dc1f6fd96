// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/store/parted_file.hpp>

namespace tesserec::data {

/// Format and version that this program writes and reads (docs/formats.md).
inline constexpr const char* dataset_format = "tesserec-dataset";
inline constexpr std::int64_t dataset_version = 1;

/// Samples read from a dataset, in the order of the requested runs.
struct Samples {
  /// Bags of one feature.
  struct Jagged {
    std::vector<Index> offsets;  ///< offsets of the bags in values [size + 1], from 0
    std::vector<Index> values;
    std::vector<float> weights;  ///< weights parallel to values, or empty
  };
  Index size = 0;
  std::vector<float> labels;      ///< labels [size, T] row-major; 0 if the dataset has none
  std::vector<float> weights;     ///< sample weights [size], or empty
  std::vector<float> dense;       ///< dense features [size, K] row-major
  std::vector<std::int32_t> ids;  ///< ids [size, F] row-major if every bag is one id (packed)
  std::vector<Jagged> jagged;     ///< bags of each feature [F] if not packed
};

/// One file of a dataset.
struct DatasetPart {
  store::PartedFile file;
  Index first = 0;  ///< number of the file's first sample in the dataset
  Index samples = 0;
  bool byte_labels = false;
  std::vector<Index> values;   ///< number of ids of each feature (jagged)
  std::vector<bool> weighted;  ///< true if the feature has weights
};

/// One or several HDF5 dataset files, read as one sequence of samples.
class Dataset {
 public:
  /// Opens the files or globs of the deck's `key`, with matches sorted. Throws Error if a glob matches nothing, or a
  /// file is given twice. Throws Error if a file is no dataset, has another version or breaks the format, or if files
  /// disagree.
  Dataset(const std::vector<std::string>& patterns, const std::string& key, store::Trust trust = store::Trust::none);

  /// Compares the checksums of every `shares`-th part of the files, from part `share` on. Opening has compared files
  /// without parts. Throws Error naming the damaged file. Call once per run, before anything is read.
  void verify(Index share, Index shares) const;

  const SourceInfo& info() const { return info_; }
  const std::vector<DatasetPart>& parts() const { return parts_; }
  /// Returns whether every bag is one id.
  bool packed() const { return packed_; }

  /// Sets the range of valid labels ([0, 1] until then) and checks share `share` of `shares` of all labels and sample
  /// weights. Returns the number of these samples that lack each label [T], or an empty list without several labels.
  /// Throws the Errors of read(). Call after all ranks have verified their parts.
  std::vector<Index> limit_labels(const LabelRange& labels, Index share, Index shares);
  /// Returns the number of samples with weight 0 that limit_labels() met.
  Index weightless() const { return weightless_; }
  /// Lets read() accept any labels, also missing ones, without a check. For those who read ids alone.
  void take_any_labels();

  /// Checks share `share` of `shares` of the samples in files without a seal. Checks sealed files, too, if `rows` gives
  /// a feature fewer rows than info(). Returns the counts of suspicious values. Throws the Errors of read().
  OddValues check_samples(const std::vector<Index>& rows, Index share, Index shares) const;

  /// Reads runs of samples. Throws Error, naming feature, value, sample and file, for invalid data. Labels must lie in
  /// their range, byte labels be 0 or 1, and dense numbers be finite. Sample weights must lie in [0, 1e6], id weights
  /// in [-1e6, 1e6]. Offsets must ascend, and ids lie in [0, rows[f]).
  void read(const std::vector<Range>& runs, const std::vector<Index>& rows, Samples& samples) const;

  /// Reads a key column of samples into `texts` [samples.size(), info().keys[column].bytes], each text padded with
  /// zeros.
  void read_keys(std::size_t column, Range samples, char* texts) const;

 private:
  /// Calls take(part, run in the part, its first place) for each piece of the runs.
  template <class Take>
  void for_each_piece(const std::vector<Range>& runs, const Take& take) const;
  struct PartRun;
  bool worth_joining(const PartRun& first, const PartRun& last, const PartRun& next) const;
  void read_pieces(std::span<const PartRun> pieces, Samples& between, Samples& samples) const;
  void allocate(Samples& samples) const;
  void read_run(const DatasetPart& part, Range run, Index at, Samples& samples) const;
  void read_targets(const DatasetPart& part, Range run, Index at, Samples& samples) const;
  void read_bags(const DatasetPart& part, std::size_t feature, Range run, Samples::Jagged& bags) const;

  SourceInfo info_;
  bool packed_ = true;
  LabelRange labels_;
  Index weightless_ = 0;
  std::vector<DatasetPart> parts_;
};

}  // namespace tesserec::data
