// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tesserec::schema {

/// Edits (insert, delete, replace, swap of neighbours) that turn a into b.
int edit_distance(const std::string& a, const std::string& b);

/// The candidate with the fewest edits, if they are few for the word's length; else "".
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace tesserec::schema
