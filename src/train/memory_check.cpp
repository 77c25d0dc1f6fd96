// SPDX-License-Identifier: Apache-2.0
#include "memory_check.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <unistd.h>

#include "checkpoint_parts.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/memory_fault.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/store/row_digests.hpp>

namespace tesserec::train {
namespace {

constexpr Index rows_of_piece = 16384;

std::string this_host() {
  std::array<char, 256> host{};
  return ::gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "unknown";
}

std::string fault_of(const comm::Communicator& comm, const embedding::EmbeddingTable& table, Index row) {
  const Range rows = table.rows(), columns = table.columns();
  const Index block = table.block_of()(row);
  return concat("rank ", comm.rank(), " on ", this_host(), ": memory has changed by itself: table ",
                table.config().name, ", row ", row, ", in row block ", block, " of the shard with rows ", rows.begin,
                " to ", rows.end - 1, " and columns ", columns.begin, " to ", columns.end - 1,
                ", has other bits than at the last checkpoint or delta, though no batch moved it. Nothing of it was "
                "written: start the same command again, on another machine");
}

}  // namespace

MemoryCheck::MemoryCheck(Session& session) : session_(session) {
  const auto& tables = session.model.tables();
  std::vector<Index> left_out(tables.tables().size());
  for (const auto& shard : tables.shards()) {
    embedding::EmbeddingTable& rows = *shard.rows;
    if (rows.config().grows() || rows.kernel() == embedding::ComputeKernel::dense ||
        rows.store().cache_use().slots > 0) {
      left_out[shard.table] = 1;
      continue;
    }
    rows.track_moves();
    shards_.push_back({&rows, std::vector<std::uint32_t>(std::size_t(rows.rows().size()))});
  }
  comm::agree(session.comm, [&] {
    for (CheckedShard& shard : shards_)
      each_piece(shard, [&](Range rows, std::span<const std::uint32_t> digests) {
        std::ranges::copy(digests, shard.digests.begin() + (rows.begin - shard.rows->rows().begin));
      });
  });
  session.comm.sum(std::span<Index>(left_out));
  std::vector<std::string> names;
  for (std::size_t t = 0; t < left_out.size(); ++t)
    if (left_out[t] > 0) names.push_back(tables.tables()[t].name);
  if (!names.empty())
    log_info("checkpoint.check_memory leaves out tables that grow, have kernel dense or lie behind a cache: " +
             join(names));
}

void MemoryCheck::check() {
  require_whole(session_);
  const Timer timer;
  std::string fault;
  Index moves = 0, all = 0;
  comm::agree(session_.comm, [&] {
    for (CheckedShard& shard : shards_) {
      const embedding::MovedRows& moved = *shard.rows->moved();
      all += shard.rows->rows().size();
      each_piece(shard, [&](Range rows, std::span<const std::uint32_t> digests) {
        std::uint32_t* const then = shard.digests.data() + (rows.begin - shard.rows->rows().begin);
        for (Index row = rows.begin; row < rows.end; ++row) {
          const Index i = row - rows.begin;
          const bool has_moved = moved.has(row);
          moves += has_moved;
          if (!has_moved && digests[i] != then[i] && fault.empty()) fault = fault_of(session_.comm, *shard.rows, row);
          then[i] = digests[i];
        }
      });
    }
  });
  comm::agree_on<MemoryFault>(session_.comm, fault);
  log_info(concat("memory of rank 0: ", all - moves, " of ", counted(all, "row"), " have not moved and are unchanged, ",
                  seconds_text(timer.seconds())));
}

/// Computes the digests of a shard's rows, piece by piece in ascending order.
void MemoryCheck::each_piece(const CheckedShard& shard, const Take& take) const {
  const embedding::RowStore& store = shard.rows->store();
  const Range all = shard.rows->rows();
  std::vector<std::uint32_t> digests;
  std::vector<float> staged;
  for (Index first = all.begin; first < all.end; first += rows_of_piece) {
    const Range rows{first, std::min(first + rows_of_piece, all.end)};
    digests.assign(std::size_t(rows.size()), 0);
    for (std::size_t m = 0; m < store.matrices().size(); ++m) {
      const Index columns = store.matrices()[m].columns();
      const float* numbers = store.in_place(m, rows);
      if (numbers == nullptr) {
        staged.resize(std::size_t(rows.size() * columns));
        store.read(session_.exec, m, rows, staged.data());
        numbers = staged.data();
      }
      store::digest_rows(session_.exec, numbers, rows.size(), columns, digests.data());
    }
    take(rows, digests);
  }
}

}  // namespace tesserec::train
