// SPDX-License-Identifier: Apache-2.0
/// Names and orders that other programs give the weights of a model.
#pragma once

#include <string>
#include <vector>

#include <tesserec/train/import_weights.hpp>

namespace tesserec::train {

/// Returns the name of a matrix for people and files of other programs: "tables/C1/weight" -> "tables.C1.weight",
/// "dense/top.0.weight/value" -> "dense.top.0.weight".
std::string tensor_name(const std::string& matrix);

/// Names of a model's weights in another program.
class NamesThere {
 public:
  NamesThere(NameMap map, const Session& session);

  /// Lists the names that the other program may give to our tensor `name`, the likeliest first. Empty if it has none.
  std::vector<std::string> of(const std::string& name) const;
  /// Returns, for each of our `columns` of tensor `name`, its column there; empty if both have one order. TorchRec
  /// lists the pairs of the dot interaction by their first vector, the reference DLRM and this program by their second.
  std::vector<Index> columns_of(const std::string& name, Index columns) const;

 private:
  NameMap map_;
  const Job& job_;
  std::vector<std::string> tables_;
};

}  // namespace tesserec::train
