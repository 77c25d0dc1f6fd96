// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tesserec::preprocess {

/// Returns a deck for raw files, with a comment behind each guess. The first file is the log, or, if its name has the
/// word test, eval or valid, the first other one with its columns. Others with the columns of the log are further parts
/// of it, or evaluation files if their names have such a word; files with other columns are side tables. Reads the
/// first rows of each file. Throws Error, naming the file, for one that is no table or that the same deck cannot read,
/// and if no column can be the label.
std::string proposed_deck(const std::vector<std::string>& paths);

}  // namespace tesserec::preprocess
