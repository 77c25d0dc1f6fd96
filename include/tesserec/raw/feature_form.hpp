// SPDX-License-Identifier: Apache-2.0
/// Form of a sparse feature: how many values a sample has, and how their texts become ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tesserec/raw/settings.hpp>

namespace tesserec::raw {

/// Returns the hash of a text: XXH3_64 with seed 0, as `xxhsum -H3` prints it.
std::uint64_t token_hash(std::string_view token);

/// Returns the id of a text: its hash, or, in `max_rows` > 0 rows, 1 + hash mod (max_rows - 1).
Index hashed_id(std::string_view token, Index max_rows);

/// Form of a sparse feature.
struct FeatureForm {
  bool bag = false;       ///< true if a sample has any number of values, not one
  bool weighted = false;  ///< true if values carry weights
  IdForm ids = IdForm::vocabulary;
  Index max_rows = 0;  ///< rows into which ids are hashed; 0 = ids of 64 bits
  /// Rule that makes the values, if they are no texts of a file: "cross user/item", "buckets 18 30.5", "separated by
  /// |".
  std::string definition = {};

  bool hashed() const { return ids == IdForm::hashed; }
  /// Returns whether ids are any 64-bit numbers.
  bool any_ids() const { return hashed() && max_rows == 0; }
  /// Returns whether a missing value is an empty bag rather than id 0.
  bool may_be_empty() const { return bag || any_ids(); }
  /// Returns the id of a value, 0 if it is missing. `find(token)` returns the id of the vocabulary, 0 for an unknown
  /// token; it is not called for hashed ids.
  template <class Find>
  Index id(const std::optional<std::string_view>& token, const Find& find) const {
    if (!token) return 0;
    return hashed() ? hashed_id(*token, max_rows) : find(*token);
  }
  /// Returns the rule of the ids: "vocabulary", "hashed" or "hashed rows=N".
  std::string id_rule() const;
  /// Returns the rule as datasets store it: id_rule(), and "; " and the definition if there is one.
  std::string rule() const;
  /// Returns a word for people: "category", "bag", "hashed" or "hashed bag".
  std::string kind() const;
};

/// Returns the id_rule() and the definition, or "", in a rule().
std::pair<std::string, std::string> parts_of_rule(const std::string& stored);

/// Returns the id of a hash of token_hash() in `max_rows` rows; 0 = the hash itself.
Index id_of_hash(std::uint64_t hash, Index max_rows);

}  // namespace tesserec::raw
