// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::dense {

/// A layer as a network lists it. `inputs` name layers before it, "dense", "pooled", or "pooled.FEATURE".
struct LayerSettings {
  std::string name = {};
  std::string type = {};
  std::vector<std::string> inputs = {};
  std::vector<Index> widths = {};  ///< mlp: neurons of each of its linear layers
  bool relu_at_end = false;        ///< mlp: behind the last one too
  bool itself = false;             ///< dot: also each vector with itself
  Index layers = 0;                ///< cross: how many
  Index rank = 0;                  ///< cross: of its matrices; 0 = full
};

}  // namespace tesserec::dense
