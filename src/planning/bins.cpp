// SPDX-License-Identifier: Apache-2.0
// Placement of tables. A table is put whole on the fullest rank where it fits (best fit), or cut into the capacities
// that ranks have left (row_partitions.hpp).
#include "bins.hpp"

#include <algorithm>
#include <numeric>

namespace tesserec::planning {

bool Bins::kept_level() const {
  return std::all_of(own_.begin(), own_.end(), [this](const Load& own) {
    return (excludes_common_ || own.seconds + common_.seconds <= level_ * (1 + 1e-9)) &&
           own.bytes + common_.bytes <= problem_.memory;
  });
}

std::vector<Choice> Bins::choices() {
  for (auto& [t, option] : cuts_) {
    choices_[t] = {problem_.options[t].size(), option.owners};
    option.owners.clear();
    problem_.options[t].push_back(std::move(option));
  }
  return choices_;
}

bool Bins::fits(int rank, const Load& piece) const {
  const Load free = capacity(rank);
  return piece.seconds <= free.seconds && piece.bytes <= free.bytes;
}

bool Bins::place_whole(std::size_t t, std::size_t o) {
  const Option& option = problem_.options[t][o];
  if (option.owner_rule == OwnerRule::node) return style_.on_nodes && place_on_nodes(t, o);
  std::vector<int> owners;
  for (std::size_t i = 0; i < option.pieces.size(); ++i) {
    int best = -1;
    for (int rank = 0; rank < problem_.ranks; ++rank) {
      if (option.owner_rule == OwnerRule::fixed && rank != option.owners[i]) continue;
      if (!fits(rank, option.pieces[i]) || std::find(owners.begin(), owners.end(), rank) != owners.end()) continue;
      if (best < 0 || own_[rank].seconds > own_[best].seconds) best = rank;
    }
    if (best < 0) return false;
    owners.push_back(best);
  }
  for (std::size_t i = 0; i < owners.size(); ++i) own_[owners[i]] += option.pieces[i];
  choices_[t] = {o, owners};
  return true;
}

bool Bins::place_on_nodes(std::size_t t, std::size_t o) {
  const Option& option = problem_.options[t][o];
  const int inside = problem_.ranks_per_node, nodes = problem_.ranks / inside;
  const std::vector<Load> before = own_;
  std::vector<int> owners, used(nodes);
  for (std::size_t first = 0; first < option.pieces.size(); first += option.group) {
    int best = -1;
    std::pair<int, double> best_key;
    std::vector<int> best_ranks;
    for (int node = 0; node < nodes; ++node) {
      std::vector<int> ranks(inside);
      std::iota(ranks.begin(), ranks.end(), node * inside);
      if (option.group < inside) std::ranges::stable_sort(ranks, {}, [&](int rank) { return own_[rank].seconds; });
      bool fits_node = true;
      double load = 0;
      for (Index i = 0; i < option.group; ++i) {
        fits_node = fits_node && fits(ranks[i], option.pieces[first + i]);
        load += own_[ranks[i]].seconds;
      }
      const std::pair key{used[node], -load};
      if (fits_node && (best < 0 || key < best_key)) {
        best = node;
        best_key = key;
        best_ranks = ranks;
      }
    }
    if (best < 0) {
      own_ = before;
      return false;
    }
    ++used[best];
    for (Index i = 0; i < option.group; ++i) {
      owners.push_back(best_ranks[i]);
      own_[best_ranks[i]] += option.pieces[first + i];
    }
  }
  choices_[t] = {o, owners};
  return true;
}

Load Bins::capacity(int rank) const {
  const double common = excludes_common_ ? 0 : std::max(common_.seconds, reserved_.seconds);
  return {level_ - own_[rank].seconds - common,
          problem_.memory - own_[rank].bytes - std::max(common_.bytes, reserved_.bytes)};
}

bool Bins::place_cut(std::size_t t, std::size_t cheapest) {
  if (!problem_.free[t]) return false;
  const FreeTable& free = *problem_.free[t];
  common_ -= problem_.options[t][cheapest].common;
  const std::vector<std::size_t> ranks =
      ordered_by(own_.size(), [this](std::size_t rank) { return -capacity(int(rank)).seconds; });
  const Load largest{capacity(int(ranks[0])).seconds, problem_.memory};
  struct Candidate {
    double least;  // lower bound of the price of any placement
    const FreeTable::Cut* cut;
    Price price;
  };
  std::vector<Candidate> candidates;
  for (const FreeTable::Cut& cut : free.cuts()) {
    const double columns = cut.columns;
    const Price price{columns, columns * problem_.ranks * style_.common, 0, 0};
    if (cut.columns > problem_.ranks) continue;
    candidates.push_back({price.of(cut.whole), &cut, price});
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::least);
  RowPartitions::Placed best;
  const FreeTable::Cut* best_cut = nullptr;
  for (const auto& [least, cut, price] : candidates) {
    if (least >= best.price) break;
    const RowPartitions& partitions = cut->partitions;
    if (partitions.relaxed(largest, price) >= best.price) continue;
    const std::vector<Load> capacities = common_capacities(ranks, cut->columns);
    RowPartitions::Placed placed =
        partitions.into(capacities, price, double(cut->columns) * style_.waste, problem_.large ? free.step() : 1);
    if (placed.price < best.price) {
      best = std::move(placed);
      best_cut = cut;
    }
  }
  if (!best_cut) return false;
  Option option = free.option(*best_cut, best.borders, problem_.ranks);
  for (Index c = 0; c < best_cut->columns; ++c)
    for (const std::size_t capacity : best.capacities) {
      option.owners.push_back(int(ranks[capacity * best_cut->columns + c]));
      own_[option.owners.back()] += option.pieces[option.owners.size() - 1];
    }
  common_ += option.common;
  fill_gaps(option);
  cuts_.emplace_back(t, std::move(option));
  return true;
}

bool Bins::place_piece(Option& option, std::size_t index) {
  const Load& piece = option.pieces[index];
  int& owner = option.owners[index];
  for (int rank = 0; rank < problem_.ranks; ++rank)
    if (fits(rank, piece) && (owner == nobody || own_[rank].seconds > own_[owner].seconds) &&
        std::ranges::count(option.owners, rank) == 0)
      owner = rank;
  if (owner == nobody) return false;
  own_[owner] += piece;
  return true;
}

void Bins::remove(const Option& option) {
  common_ -= option.common;
  for (std::size_t i = 0; i < option.owners.size(); ++i)
    if (option.owners[i] != nobody) own_[option.owners[i]] -= option.pieces[i];
}

void Bins::fill_gaps(Option& option) {
  const auto seconds = [&](std::size_t piece) { return option.pieces[piece].seconds; };
  for (const std::size_t i : ordered_by(option.pieces.size(), seconds)) {
    own_[option.owners[i]] -= option.pieces[i];
    place_piece(option, i);
  }
}

std::vector<Load> Bins::common_capacities(const std::vector<std::size_t>& ranks, std::size_t columns) const {
  std::vector<Load> capacities;
  for (std::size_t i = 0; i + columns <= ranks.size(); i += columns) {
    capacities.push_back(capacity(int(ranks[i])));
    for (std::size_t c = 1; c < columns; ++c) {
      const Load other = capacity(int(ranks[i + c]));
      capacities.back() = {std::min(capacities.back().seconds, other.seconds),
                           std::min(capacities.back().bytes, other.bytes)};
    }
  }
  return capacities;
}

}  // namespace tesserec::planning
