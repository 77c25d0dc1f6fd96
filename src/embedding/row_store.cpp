// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/row_store.hpp>

namespace tesserec::embedding {

void RowMatrix::get(const std::byte* from, Index n, float* to) const {
  if (is_short())
    widen(format, n, reinterpret_cast<const std::uint16_t*>(from), to);
  else
    std::memcpy(to, from, n * sizeof(float));
}

Index RowMatrix::put(const float* from, Index n, std::byte* to) const {
  if (is_short()) return narrow(format, n, from, reinterpret_cast<std::uint16_t*>(to));
  std::memcpy(to, from, n * sizeof(float));
  return 0;
}

RowStore::RowStore(const TableShard& shard, std::vector<RowMatrix> matrices, bool ordered)
    : matrices_(std::move(matrices)),
      ordered_(ordered),
      first_row_(shard.rows().begin),
      columns_{shard.columns, shard.config.embedding_dim} {
  begins_.weights = weights().data();
  for (const RowMatrix& matrix : matrices_) stored_.push_back({matrix.row(0), matrix.row_bytes()});
  for (std::size_t s = 0; s + 1 < matrices_.size(); ++s) {
    begins_.states[s] = matrices_[s + 1].values.data();
    begins_.widths[s] = matrices_[s + 1].values.columns();
  }
}

RowStore::Bytes RowStore::bytes() const {
  Bytes result;
  for (const RowMatrix& matrix : matrices_)
    (matrix.place() == Place::device ? result.device : result.host) += matrix.slots() * matrix.row_bytes();
  return result;
}

float state_start(const optim::Settings& optimizer) {
  const bool is_sum = optimizer.type == optim::Type::adagrad || optimizer.type == optim::Type::rowwise_adagrad;
  return is_sum ? float(optimizer.initial_accumulator) : 0.0f;
}

std::vector<RowMatrix> row_matrices(const Exec& exec, const TableShard& shard, Index slots) {
  const auto matrix = [&](const std::string& name, bool per_row, NumberType format) {
    const Index columns = per_row ? 1 : shard.dim();
    const auto label = [&] {
      return concat("table ", shard.config.name, ", its ", name, " of ", slots, " x ", columns);
    };
    const std::string view = "tesserec::embedding::" + name + " " + shard.config.name;
    return with_memory(label, double(slots) * double(columns) * double(bytes_of(format)), [&] {
      RowMatrix made{.name = name, .per_row = per_row, .format = format, .values = {}, .halves = {}};
      if (made.is_short())
        made.halves = PlacedMatrix<std::uint16_t>(exec, shard.place, view, slots, columns);
      else
        made.values = PlacedMatrix<float>(exec, shard.place, view, slots, columns);
      return made;
    });
  };
  std::vector<RowMatrix> result{matrix("weights", false, shard.config.weight_format())};
  for (const optim::StateInfo& info : optim::states(shard.optimizer.type))
    result.emplace_back(matrix(info.name, info.per_row, NumberType::fp32))
        .values.fill(exec, "tesserec::embedding::fill", state_start(shard.optimizer));
  wait(exec);
  return result;
}

}  // namespace tesserec::embedding
