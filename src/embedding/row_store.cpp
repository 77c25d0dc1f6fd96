// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/row_store.hpp>

namespace tesserec::embedding {

RowStore::RowStore(const TableShard& shard, std::vector<RowMatrix> matrices, bool ordered)
    : matrices_(std::move(matrices)),
      ordered_(ordered),
      first_row_(shard.rows().begin),
      columns_(shard.columns),
      whole_dim_(shard.config.embedding_dim) {
  for (std::size_t s = 0; s + 1 < matrices_.size(); ++s) {
    states_.begin[s] = matrices_[s + 1].values.data();
    states_.width[s] = matrices_[s + 1].values.columns();
  }
}

RowStore::Bytes RowStore::bytes() const {
  Bytes result;
  for (const RowMatrix& matrix : matrices_)
    (matrix.values.place() == Place::device ? result.device : result.host) +=
        std::ssize(matrix.values) * Index{sizeof(float)};
  return result;
}

std::vector<RowMatrix> row_matrices(const Exec& exec, const TableShard& shard, Index slots) {
  const auto matrix = [&](const std::string& name, bool per_row) {
    const Index columns = per_row ? 1 : shard.dim();
    const auto label = [&] {
      return concat("table ", shard.config.name, ", its ", name, " of ", slots, " x ", columns);
    };
    return with_memory(label, double(slots) * double(columns) * sizeof(float), [&] {
      return RowMatrix{name, per_row,
                       PlacedMatrix<float>(exec, shard.place, "tesserec::embedding::" + name + " " + shard.config.name,
                                           slots, columns)};
    });
  };
  std::vector<RowMatrix> result{matrix("weights", false)};
  const optim::Type type = shard.optimizer.type;
  const bool is_sum = type == optim::Type::adagrad || type == optim::Type::rowwise_adagrad;
  for (const optim::StateInfo& info : optim::states(type))
    result.emplace_back(matrix(info.name, info.per_row))
        .values.fill(exec, "tesserec::embedding::fill", is_sum ? float(shard.optimizer.initial_accumulator) : 0.0f);
  wait(exec);
  return result;
}

}  // namespace tesserec::embedding
