// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tesserec/store/state.hpp>
#include <tesserec/store/tensor_file.hpp>
#include <tesserec/train/import_weights.hpp>

namespace tesserec::train {

/// Tensor of a file that becomes a matrix of the model.
struct MatchedTensor {
  store::StoredTensor tensor;
  Index rows = 0, columns = 0;  ///< of the matrix; a table may have more rows
  bool transpose = false;       ///< true if the file has it as [columns, rows]
  std::vector<Index> order;     ///< the file's column of each of our columns; empty = the same order
  std::vector<Index> our_row;   ///< our row of each of the file's rows (growing tables); empty = the same order
};

/// Tensors of a file beside the matrices of a model.
struct MatchedTensors {
  std::map<std::string, MatchedTensor> of_matrix;       ///< by the name of the matrix, "tables/C1/weight"
  std::map<std::string, store::StoredTensor> ids;       ///< ids of the rows of growing tables, by the table
  std::vector<std::string> kept, fewer_rows, left_out;  ///< as in Imported
};

/// Finds the tensor of each matrix of `shapes`, the weights of the session's model. Throws one Error with a line for
/// each matrix whose tensor is missing, has another shape, or numbers that are neither fp32 nor of 16 bits; for each
/// [[import]] that names no matrix; and for each pattern of `only` that matches none. A growing table, which has no
/// matrix yet, is to have the rows of the file's tensors "tables.NAME.weight" and "tables.NAME.ids".
MatchedTensors match_tensors(const store::TensorFile& file, const store::StateRecords& shapes, const Session& session,
                             const ImportSettings& settings);

}  // namespace tesserec::train
