// SPDX-License-Identifier: Apache-2.0
/// Opening of a dataset's files, and checks of their content.
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/dataset.hpp>
#include <tesserec/store/parted_file.hpp>

namespace tesserec::data {

/// Opened files of a dataset, in order.
struct DatasetFiles {
  SourceInfo info;
  bool packed = true;
  std::vector<DatasetPart> parts;
};

/// Opens the files or globs of the deck's `key`. Throws the Errors of Dataset::Dataset.
DatasetFiles open_dataset(const std::vector<std::string>& patterns, const std::string& key, store::Trust trust);

/// Check of samples that were read from a dataset. Errors name feature, value, sample and file.
class SampleCheck {
 public:
  /// Takes the samples that were read from `runs`. All arguments must outlive this object.
  SampleCheck(const SourceInfo& info, const std::vector<DatasetPart>& parts, const std::vector<Range>& runs,
              const Samples& samples)
      : info_(info), parts_(parts), runs_(runs), samples_(samples) {}

  /// Throws Error for a label outside `labels`, a label that a sample may not lack, or a sample weight outside [0,
  /// max_sample_weight].
  void targets(const LabelRange& labels) const;
  /// Throws Error for a dense feature that is not finite or an id weight of magnitude over max_id_weight.
  void numbers() const;
  /// Throws Error for an id outside [0, rows[f]), unless that is any_id. `rows` [F]: rows of each feature's table.
  void ids(const std::vector<Index>& rows) const;

 private:
  /// Throws Error for label `i` of [size, T] if it is outside `labels`, or lacking though it may not.
  void require_label(Index i, const LabelRange& labels) const;
  /// Returns "sample 7 of FILE" for a sample's number in the concatenated runs.
  std::string place(Index sample) const;
  void check_packed(Index feature, Index id, Index sample) const;

  const SourceInfo& info_;
  const std::vector<DatasetPart>& parts_;
  const std::vector<Range>& runs_;
  const Samples& samples_;
};

/// Adds the samples' suspicious values to the counts in `odd`, whose lists already have their sizes.
void count_odd(const Samples& samples, OddValues& odd);

/// Throws Error if names of `attribute` are not unique or not valid in files, plans and reports.
void require_names(const std::string& path, const char* attribute, const std::vector<std::string>& names);

/// Returns the names of a file's labels if its samples have several; else an empty list. Throws Error if attribute
/// `tasks` and the shape of /labels disagree.
std::vector<std::string> label_names(const store::File& file);

/// Throws Error if /sparse has both packed and jagged ids, or ids of an unknown feature.
void require_one_form(const store::File& file, const std::vector<std::string>& features, bool packed);

/// Throws Error if the offsets of a jagged feature do not begin at 0 or do not end at `values`, the number of its ids.
void require_offsets(const store::PartedFile& file, const std::string& offsets, Index samples, Index values);

}  // namespace tesserec::data
