// SPDX-License-Identifier: Apache-2.0
/// A sweep as text for people, CSV and JSON (docs/formats.md).
#pragma once

#include <tesserec/core/json.hpp>
#include <tesserec/sweep/sweep.hpp>

namespace tesserec::sweep {

/// The points by index, before anything is trained: index, folder's name, overrides; the rungs.
std::string list_text(const Sweep& sweep);
Json list_json(const Sweep& sweep);

/// Tells what they came to, the best first; what is missing; which keys mattered.
std::string summary_text(const Sweep& sweep);
std::string summary_csv(const Sweep& sweep);
Json summary_json(const Sweep& sweep);

}  // namespace tesserec::sweep
