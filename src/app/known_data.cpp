// SPDX-License-Identifier: Apache-2.0
#include "known_data.hpp"

#include <glob.h>

#include <tesserec/data.hpp>

namespace tesserec::app {

std::optional<data::SourceInfo> known_data(const deck::Deck& deck) {
  if (deck.data.synthetic.kind != data::SyntheticKind::none)
    return data::synthetic_info(deck.data.synthetic, data::Use::train);
  bool some = false;
  for (const std::string& pattern : deck.data.train) {
    glob_t found{};
    some = (glob(pattern.c_str(), 0, nullptr, &found) == 0) || some;
    globfree(&found);
  }
  if (!some) return std::nullopt;
  return data::Dataset(deck.data.train, "data.train").info();
}

}  // namespace tesserec::app
