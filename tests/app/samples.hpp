// SPDX-License-Identifier: Apache-2.0
/// Small inputs that tests of the commands share.
#pragma once

#include <string>

#include "driver/program.hpp"
#include "source_dir.hpp"

namespace tesserec::test {

/// Writes planted.toml, a deck that trains in a second, with four lanes, so on up to four ranks; it ends in the
/// folder's run/. Returns the deck's path.
inline std::string planted_deck(const TestFolder& folder) {
  const std::string deck = text_of_file(TESSEREC_SOURCE_DIR "/tests/app/planted.toml");
  return folder.write("deck.toml", deck + "[run]\noutput = \"@/run\"\n");
}

}  // namespace tesserec::test
