// SPDX-License-Identifier: Apache-2.0
/// Users' source types, by the name that data.source takes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tesserec/data/settings.hpp>
#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Use of a source. train shuffles as the deal says, the others read in file order. predict reads the evaluation data
/// by default.
enum class Use { train, evaluate, predict };

/// A source type besides files and [data.synthetic].
struct SourceType {
  std::string name;
  std::string text;  ///< description, one sentence
  /// Makes the source of a use, dealt to this rank. Errors name keys as "data.NAME.KEY".
  std::function<std::unique_ptr<Source>(const Settings&, Use, const Deal&)> make;
  std::vector<OwnKey> own = {};  ///< keys of the block [data.NAME], read as settings.own<Index>("samples")
  /// Returns whether there are samples for a use. Null = for every use.
  std::function<bool(const Settings&, Use)> has = nullptr;
};

/// Returns the types that were added, in this order.
const std::vector<SourceType>& source_types();
/// Adds a source type, before any deck is read. Throws Error if the name is taken, or cannot name a block [data.NAME].
void add_source_type(SourceType type);
/// Returns the type of this name. Throws Error, listing the known types, if there is none.
const SourceType& source_type(const std::string& name);

/// Returns whether the type named by `settings.source` has samples for a use.
bool has_own_source(const Settings& settings, Use use);
/// Makes the source of the type named by `settings.source`. Own keys without a value have their defaults.
std::unique_ptr<Source> make_own_source(const Settings& settings, Use use, const Deal& deal);

}  // namespace tesserec::data
