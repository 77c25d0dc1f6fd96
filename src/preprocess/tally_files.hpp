// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "column_tally.hpp"
#include "scratch_folder.hpp"
#include "survey.hpp"
#include <tesserec/core/timer.hpp>

namespace tesserec::preprocess {

/// Tallies of the ranges whose rows are written, on scratch files, so that a later start can leave these ranges out.
class TallyFiles {
 public:
  /// Takes the objects of a dataset, which must outlive this one. `key`: names what is written, for
  /// the files' names.
  TallyFiles(const ScratchFolder& scratch, const std::string& key, const Survey& survey);

  /// Reads what earlier starts sealed. Returns the packed tally of each of this rank's ranges; "" = none. Collective.
  std::vector<std::string> read() const;
  /// Takes the tally of a range of this rank whose rows have all been given to the writer.
  void add(Index range, const ColumnTally& tally);
  /// Seals what was added, if it is time or `now`.
  void seal(bool now);

 private:
  const ScratchFolder& scratch_;
  std::string name_;
  const Survey& survey_;
  std::string packed_;  ///< places and tallies that are not sealed yet
  std::string path_;    ///< scratch file for them
  Timer timer_;         ///< time since the last seal
};

}  // namespace tesserec::preprocess
