// SPDX-License-Identifier: Apache-2.0
/// The files that a data set is made of, and what they may not hold.
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/dataset.hpp>
#include <tesserec/store/parted_file.hpp>

namespace tesserec::data {

struct DatasetFiles {
  SourceInfo info;
  bool packed = true;
  std::vector<DatasetPart> parts;
};

/// Opens the files that `patterns` name. Errors as those of Dataset::Dataset.
DatasetFiles open_dataset(const std::vector<std::string>& patterns, const std::string& key, store::Trust trust);

/// Refuses samples that were read from a data set, by feature, value, sample and file.
class SampleCheck {
 public:
  /// `samples` are those of `runs`. All arguments outlive this.
  SampleCheck(const SourceInfo& info, const std::vector<DatasetPart>& parts, const std::vector<Range>& runs,
              const Samples& samples)
      : info_(info), parts_(parts), runs_(runs), samples_(samples) {}

  /// Checks labels and weights of samples.
  void targets(const LabelRange& labels) const;
  /// Checks dense numbers and weights of ids.
  void numbers() const;
  /// Checks ids; `rows` of each feature's table.
  void ids(const std::vector<Index>& rows) const;

 private:
  /// "sample 7 of FILE": where sample i of the runs lies.
  std::string place(Index sample) const;

  const SourceInfo& info_;
  const std::vector<DatasetPart>& parts_;
  const std::vector<Range>& runs_;
  const Samples& samples_;
};

/// Counts values that are allowed and unusual.
void count_odd(const Samples& samples, OddValues& odd);

/// Error when a data set's names, which parts, plans and reports use, are no valid table names or not unique.
void require_names(const std::string& path, const char* attribute, const std::vector<std::string>& names);

/// Error when /sparse holds the ids in both forms, or ids of something that is no feature.
void require_one_form(const store::File& file, const std::vector<std::string>& features, bool packed);

/// Error when the offsets of a jagged feature do not begin at 0 or do not end at `values`, the number of its ids.
void require_offsets(const store::PartedFile& file, const std::string& offsets, Index samples, Index values);

}  // namespace tesserec::data
