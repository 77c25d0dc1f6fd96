// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "section.hpp"

namespace tesserec::deck {

/// Of [optimizer.sparse] and of a table's own optimizer.
Keys<optim::Settings> sparse_optimizer_keys();
std::vector<Section> optimizer_sections();

/// As one line: {type = "sgd", lr = 0.1}.
template <class T>
std::string inline_keys(const Keys<T>& keys, const T& object) {
  std::vector<std::string> parts;
  for (const Key<T>& key : keys)
    if (const std::string value = key.write(object); !value.empty()) parts.push_back(key.info.name + " = " + value);
  return "{" + join(parts) + "}";
}

}  // namespace tesserec::deck
