// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/store/parted_file.hpp>

namespace tesserec::data {

/// Format that this program writes and reads (docs/formats.md).
inline constexpr const char* dataset_format = "tesserec-dataset";
inline constexpr std::int64_t dataset_version = 1;

/// A sample weighs so much at most, and an id of a bag, plus or minus.
inline constexpr float most_sample_weight = 1e6f, most_id_weight = 1e6f;

/// Samples read from a data set, in the order of the runs asked for.
struct Samples {
  /// Bags of one feature.
  struct Jagged {
    std::vector<Index> offsets;  ///< size + 1, from 0
    std::vector<Index> values;
    std::vector<float> weights;  ///< parallel to values, or empty
  };
  Index size = 0;
  std::vector<float> labels;      ///< [size] 0 where the data set has none
  std::vector<float> weights;     ///< [size], or empty
  std::vector<float> dense;       ///< [size, K]
  std::vector<std::int32_t> ids;  ///< [size, F] when every bag is one id (packed)
  std::vector<Jagged> jagged;     ///< [F] otherwise
};

/// One file of a data set.
struct DatasetPart {
  store::PartedFile file;
  Index first = 0;  ///< number of its first sample
  Index samples = 0;
  bool byte_labels = false;
  std::vector<Index> values;   ///< jagged: ids of each feature
  std::vector<bool> weighted;  ///< whether the feature has weights
};

/// One or several HDF5 data set files, read as one after the other.
class Dataset {
 public:
  /// Opens files or globs of the deck's `key`, matches sorted. Errors: no match, a file twice, not a data set, another
  /// version, shapes or types that do not fit the format, files that disagree.
  Dataset(const std::vector<std::string>& patterns, const std::string& key, store::Trust trust = store::Trust::none);

  /// Compares every `of`-th part of the files from part `share` on with its checksum; files without parts were compared
  /// when they were opened. Error names the damaged file. Once a run, before anything is read.
  void verify(Index share, Index of) const;

  const SourceInfo& info() const { return info_; }
  bool packed() const { return packed_; }

  /// Sets the labels that are taken, [0, 1] before, and reads part `share` of `of` of all labels and weights of
  /// samples. Errors as those of read(). To be called when all ranks have compared their parts.
  void limit_labels(const LabelRange& labels, Index share, Index of);

  /// Checks part `share` of `of` of the samples in files without a seal; of all files if `rows` gives a feature fewer
  /// rows than info(). Errors as those of read().
  OddValues look_through(const std::vector<Index>& rows, Index share, Index of) const;

  /// Reads runs of samples. Errors: a label outside of its range, a dense number that is not finite, a byte label above
  /// 1, a sample's weight outside of [0, 1e6], an id's weight outside of [-1e6, 1e6], offsets that do not ascend, an id
  /// outside [0, rows[f]); the message names feature, value, sample and file.
  void read(const std::vector<Range>& runs, const std::vector<Index>& rows, Samples& samples) const;

  /// Reads a key column of samples: [samples.size(), info().keys[column].bytes], zeros behind each text.
  void read_keys(std::size_t column, Range samples, char* texts) const;

 private:
  /// Calls take(part, run in the part, its first place) for each piece of the runs.
  template <class Take>
  void for_each_piece(const std::vector<Range>& runs, const Take& take) const;
  void make_room(Samples& samples) const;
  void read_run(const DatasetPart& part, Range run, Index at, Samples& samples) const;
  void read_targets(const DatasetPart& part, Range run, Index at, Samples& samples) const;
  void read_bags(const DatasetPart& part, std::size_t feature, Range run, Samples::Jagged& bags) const;

  SourceInfo info_;
  bool packed_ = true;
  LabelRange labels_;
  std::vector<DatasetPart> parts_;
};

}  // namespace tesserec::data
