// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tesserec::schema {

/// Returns the number of edits (insert, delete, replace, swap of neighbors) that turn a into b.
int edit_distance(const std::string& a, const std::string& b);

/// Returns the candidate with the fewest edits if there are at most 1 + a quarter of the word's length, else "".
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace tesserec::schema
