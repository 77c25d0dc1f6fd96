// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include <tesserec/dense/layer.hpp>

namespace tesserec::dense {

Index InputShape::width() const { return std::accumulate(vectors.begin(), vectors.end(), Index{0}); }

Index place(std::vector<Parameter>& tensors, Index& size, std::string name, Index rows, Index columns, Start start) {
  constexpr Index line = 16;  // floats of a cache line
  tensors.push_back({std::move(name), rows, columns, size, start});
  size = (size + rows * columns + line - 1) / line * line;
  return tensors.back().offset;
}

}  // namespace tesserec::dense
