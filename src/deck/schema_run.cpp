// SPDX-License-Identifier: Apache-2.0
// [run]
#include "section.hpp"

namespace tesserec::deck {

std::vector<Section> run_sections() {
  using Run = train::RunSettings;
  const Keys<Run> run = {
      text("name", &Run::name, Text::name, "Name of the run; also its folder's name."),
      integer("seed", &Run::seed, {0, no_limit}, "",
              "Seed of every random number: initial weights, shuffling, synthetic data."),
      default_words(text("output", &Run::output, Text::any,
                         "Folder for checkpoints, metrics.jsonl and scores; empty means runs/NAME."),
                    "\"\" (runs/NAME)"),
  };
  return {single(
      "run", "What the run is called and where it writes.", run, [](auto& d) -> auto& { return d.run; })};
}

}  // namespace tesserec::deck
