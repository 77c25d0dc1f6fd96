// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/core/json.hpp>

namespace tesserec::store {

/// Returns the text of an object of Layout::lines, with a last member "digest" that covers all text before it.
std::string with_digest(const Json& object);
/// Throws Error unless the text is one of with_digest(), unchanged.
void require_digest(const std::string& text);

}  // namespace tesserec::store
