// SPDX-License-Identifier: Apache-2.0
/// Counts of the hashes of texts, for features with hashed ids.
#pragma once

#include <string_view>

#include "token_map.hpp"
#include <tesserec/core/index.hpp>

namespace tesserec::preprocess {

/// Returns the id in `max_rows` > 0 rows of a counted hash of add_hash().
Index counted_id(std::string_view hash, Index max_rows);

/// Adds the hash of a text to a count of different hashes, whose tokens have 8 bytes.
void add_hash(std::string_view token, TokenCounts& hashes);

/// Returns how many hashes share their id with another one.
Index collisions(const TokenCounts& hashes, Index max_rows);

}  // namespace tesserec::preprocess
