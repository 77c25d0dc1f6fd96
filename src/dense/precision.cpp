// SPDX-License-Identifier: Apache-2.0
#include <tesserec/dense/precision.hpp>

namespace tesserec::dense {

const std::vector<std::pair<std::string, Precision>>& precisions() {
  static const std::vector<std::pair<std::string, Precision>> all{
      {"fp32", Precision::fp32}, {"bf16", Precision::bf16}, {"tf32", Precision::tf32}};
  return all;
}

const std::string& name(Precision precision) { return precisions()[std::size_t(precision)].first; }

}  // namespace tesserec::dense
