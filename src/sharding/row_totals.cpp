// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/tree.hpp>
#include <tesserec/optim/optimizer.hpp>
#include <tesserec/sharding/row_totals.hpp>

namespace tesserec::sharding {

RowTotals::RowTotals(const comm::Communicator& comm, const planning::ShardingPlan& plan,
                     const std::vector<bool>& shared)
    : comm_(comm) {
  for (std::size_t t = 0; t < plan.size(); ++t) {
    if (!shared[t]) continue;
    const std::vector<planning::Shard>& shards = plan[t].shards;  // ordered by columns, then by rows
    std::size_t row_cuts = 0;
    while (row_cuts < shards.size() && shards[row_cuts].columns == shards[0].columns) ++row_cuts;
    std::vector<Group> groups(row_cuts);
    std::vector<bool> has_own(row_cuts);
    for (std::size_t i = 0; i < shards.size(); ++i) {
      const bool is_own = shards[i].rank == comm.rank();
      groups[i % row_cuts].pieces.push_back(
          {shards[i].rank, is_own ? own_++ : 0, optim::column_subtrees(shards[i].columns)});
      if (is_own) has_own[i % row_cuts] = true;
    }
    for (std::size_t r = 0; r < row_cuts; ++r)
      if (has_own[r]) groups_.push_back(std::move(groups[r]));
  }
}

Index RowTotals::Group::sums_of(int rank) const {
  Index sums = 0;
  for (const Piece& piece : pieces) sums += piece.rank == rank ? std::ssize(piece.leaves) : 0;
  return sums;
}

std::vector<std::vector<float>> RowTotals::totals(std::span<const std::vector<float>> own_sums) const {
  const int own_rank = comm_.rank();
  std::vector<Index> send_counts(comm_.size()), receive_counts(comm_.size());
  std::vector<float> send;
  std::vector<Index> rows;  // number of rows of each group, times sums per row
  for (const Group& group : groups_)
    for (const Piece& piece : group.pieces)
      if (piece.rank == own_rank) {
        rows.push_back(own_sums[piece.own].size() / piece.leaves.size());
        break;
      }
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (rank == own_rank) continue;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].sums_of(rank) == 0) continue;
      receive_counts[rank] += rows[g] * groups_[g].sums_of(rank);
      send_counts[rank] += rows[g] * groups_[g].sums_of(own_rank);
      for (const Piece& piece : groups_[g].pieces)
        if (piece.rank == own_rank) send.insert(send.end(), own_sums[piece.own].begin(), own_sums[piece.own].end());
    }
  }
  std::vector<Index> at(comm_.size());  // position of each rank's next sums
  for (int rank = 1; rank < comm_.size(); ++rank) at[rank] = at[rank - 1] + receive_counts[rank - 1];
  std::vector<float> received(at.back() + receive_counts.back());
  comm_.all_to_all(send.data(), send_counts, received.data(), receive_counts);

  std::vector<std::vector<float>> totals(own_);
  float slots[TreeOrder::max_slots];
  const auto add = [&](int into, int from) { slots[into] += slots[from]; };
  TreeOrder tree(whole_tree);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::vector<const float*> sums;  // next sum of each piece
    for (const Piece& piece : groups_[g].pieces) {
      sums.push_back(piece.rank == own_rank ? own_sums[piece.own].data() : received.data() + at[piece.rank]);
      if (piece.rank != own_rank) at[piece.rank] += rows[g] * std::ssize(piece.leaves);
    }
    std::vector<float> total(rows[g]);
    for (float& row : total) {
      tree.clear();
      for (std::size_t p = 0; p < sums.size(); ++p)
        for (const Index leaf : groups_[g].pieces[p].leaves) {
          const int slot = tree.push(leaf, add);
          slots[slot] = *sums[p]++;
        }
      tree.finish(add);
      row = slots[0];
    }
    for (const Piece& piece : groups_[g].pieces)
      if (piece.rank == own_rank) totals[piece.own] = total;
  }
  return totals;
}

}  // namespace tesserec::sharding
