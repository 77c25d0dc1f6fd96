// SPDX-License-Identifier: Apache-2.0
// Finds the form of times that the texts of a column may have.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::preprocess {

/// Form of the times of a column.
struct TimeGuess {
  std::string form;                 ///< empty = no text is a time
  Index times = 0;                  ///< texts of this form
  std::vector<std::string> others;  ///< patterns that all texts have, too: 01/02/2014 may be in January or in February
};

/// Forms that fit the texts seen so far.
class TimeForms {
 public:
  /// `hours`: whether the column's name says that YYMMDDHH may come.
  explicit TimeForms(bool hours) : hours_(hours) {}

  void add(const std::string& text);

  /// Returns the pattern that all texts have, or else the form that most of them have.
  TimeGuess guess() const;

 private:
  bool hours_;
  Index texts_ = 0;
  std::map<std::string, Index> named_;                ///< texts of each form that is no pattern
  std::optional<std::vector<std::string>> patterns_;  ///< those that all texts have; unset before the first text
};

}  // namespace tesserec::preprocess
