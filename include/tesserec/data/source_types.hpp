// SPDX-License-Identifier: Apache-2.0
/// Sources of one's own, by the name that data.source takes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tesserec/data/settings.hpp>
#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Use of a source: train shuffles as the deal says; others read in file order, predict the evaluation data by default.
enum class Use { train, evaluate, predict };

/// A kind of source beside files and [data.synthetic].
struct SourceType {
  std::string name;
  std::string text;  ///< one sentence
  /// Makes the samples of a use, dealt to this rank. Errors name keys as "data.NAME.KEY".
  std::function<std::unique_ptr<Source>(const Settings&, Use, const Deal&)> make;
  std::vector<OwnKey> own = {};  ///< keys of the block [data.NAME], read as settings.own<Index>("samples")
  /// Returns whether there are samples for a use; null: for every use.
  std::function<bool(const Settings&, Use)> has = nullptr;
};

/// Lists the types that were added, in this order.
const std::vector<SourceType>& source_types();
/// Adds a source of one's own, before any deck is read. Error: the name is taken, or is none for a block [data.NAME].
void add_source_type(SourceType type);
/// Error that lists what there is.
const SourceType& source_type(const std::string& name);

/// Returns whether the type has samples for a use. `settings.source` names it.
bool has_own_source(const Settings& settings, Use use);
/// Makes the source that `settings.source` names; own keys without a value have their presets.
std::unique_ptr<Source> make_own_source(const Settings& settings, Use use, const Deal& deal);

}  // namespace tesserec::data
