// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/store/state.hpp>

namespace tesserec::store {

/// Place of a number in a matrix, with its value in both files.
struct NumberPair {
  Index row = -1, column = -1;  ///< -1 = there is none
  float a = 0, b = 0;
};

/// Difference of one named matrix in two files.
struct MatrixDifference {
  std::string name = {};
  StateRecord a = {}, b = {};  ///< no columns = the file lacks the matrix
  Index compared = 0;          ///< numbers that both have
  Index different = 0;         ///< those with other bits
  NumberPair first = {};       ///< the first of them, row by row
  NumberPair largest = {};     ///< the first with the largest distance; a NaN of a single file lies farthest apart
};

/// Returns the matrices that differ in shape or bits, by name. Matrices with equal checksums are not read. Rows and
/// columns that one file lacks are not compared. Both files must have been compared with their seals.
std::vector<MatrixDifference> compare_states(const PartedFile& a, const PartedFile& b);

}  // namespace tesserec::store
