// SPDX-License-Identifier: Apache-2.0
/// The starts of one run: `starts` of run.json (docs/formats.md).
#pragma once

#include <string>

#include <tesserec/core/index.hpp>
#include <tesserec/core/json.hpp>

namespace tesserec::app {

struct Start {
  std::string time;
  Index from_step = 0;
  std::string deck;  ///< the effective one
};

/// Returns the starts of the run in `folder`, oldest first, with decks where they differ from the next one's: those of
/// its run.json, then `now`. A run begins anew, with `now` alone, if told so or at step 0 after a run that was done.
/// Called before run.json and result.json are replaced.
Json starts_json(const std::string& folder, const Start& now, bool anew);

}  // namespace tesserec::app
