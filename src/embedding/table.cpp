// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/error.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/table.hpp>

namespace tesserec::embedding {

EmbeddingTable::EmbeddingTable(const Exec& exec, const TableShard& shard, const MakeRowStore& make)
    : shard_(shard), store_(shard.kernel == ComputeKernel::dense ? memory_rows(exec, shard) : make(exec, shard)) {
  if (kernel() != ComputeKernel::dense) return;
  if (config().weight_format() != NumberType::fp32)
    fail("table ", config().name, " has format \"", name(config().weight_format()),
         "\", which kernel \"dense\" does not update; use another kernel, or format \"fp32\"");
  const Index rows = this->rows().size();
  dense_gradient_ = with_memory(
      [&] { return concat("table ", config().name, ", its gradient of ", rows, " x ", dim()); },
      double(rows) * double(dim()) * sizeof(float),
      [&] {
        return PlacedMatrix<float>(exec, shard_.place, "tesserec::embedding::gradient " + config().name, rows, dim());
      });
  dense_gradient_.fill(exec, "tesserec::embedding::fill", 0.0f);
  wait(exec);
}

void EmbeddingTable::initialize(const Exec& exec, std::uint64_t seed, Index table) {
  store_->initialize(exec, StartValues(config(), seed, table));
  rounding_key_ = Random(seed, Purpose::row_rounding, std::uint64_t(table)).key();
}

Random EmbeddingTable::rounding(Index step) const {
  const std::uint64_t key = std::uint64_t{rounding_key_[1]} << 32 | rounding_key_[0];
  return Random(key, Purpose::row_rounding, std::uint64_t(step));
}

}  // namespace tesserec::embedding
