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

/// The starts of the run in `folder`, oldest first: those that its run.json knows, then `now`. Those before have their
/// decks where they differ from the next one's. A run begins anew, so that `now` is its only start, where it is told
/// to, or where it begins at step 0 after one that did all that it was told to. Called before run.json and result.json
/// are replaced.
Json starts_json(const std::string& folder, const Start& now, bool anew);

}  // namespace tesserec::app
