// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "run_folder.hpp"

namespace tesserec::report {

/// "block.key" -> value as the deck has it; blocks that may stand several times have numbers: "table[2].rows".
std::map<std::string, std::string> keys_of(const std::string& deck);

/// Keys whose values are not the same in all decks, without run.name and run.output.
std::vector<std::string> differing_keys(const std::vector<std::map<std::string, std::string>>& decks);

}  // namespace tesserec::report
