// SPDX-License-Identifier: Apache-2.0
/// Small inputs that the tests of commands share.
#pragma once

#include <string>

#include "driver/program.hpp"
#include "source_dir.hpp"

namespace tesserec::test {

/// Writes planted.toml, a deck that trains in a second, and returns its path. It has four lanes, so it runs on up to
/// four ranks; its output is the folder's run/.
inline std::string planted_deck(const TestFolder& folder) {
  const std::string deck = text_of_file(TESSEREC_SOURCE_DIR "/tests/app/planted.toml");
  return folder.write("deck.toml", deck + "[run]\noutput = \"@/run\"\n");
}

}  // namespace tesserec::test
