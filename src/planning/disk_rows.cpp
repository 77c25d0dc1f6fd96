// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/disk_row.hpp>
#include <tesserec/planning/disk_rows.hpp>

namespace tesserec::planning {

void check_disk_rows(const embedding::EmbeddingBagConfig& table, const ParameterSharding& sharding,
                     const optim::Settings& optimizer) {
  if (sharding.kernel != ComputeKernel::disk) return;
  embedding::EmbeddingBagConfig piece = table;
  if (!sharding.shards.empty()) piece.embedding_dim = 0;
  for (const Shard& shard : sharding.shards) piece.embedding_dim = std::max(piece.embedding_dim, shard.columns.size());
  const Index bytes = table_bytes(piece, optimizer, 1);
  if (bytes <= embedding::longest_disk_row) return;
  fail("table ", table.name, ": a row with its optimizer state has ", bytes_text(double(bytes)),
       ", but kernel \"disk\" has rows of at most ", bytes_text(double(embedding::longest_disk_row)),
       ". Set plan.tables.", table.name, ".kernel (or plan.kernel) to \"fused\", or plan.tables.", table.name,
       ".sharding to \"column_wise\", which cuts rows");
}

}  // namespace tesserec::planning
