// SPDX-License-Identifier: Apache-2.0
#include "assignment.hpp"

#include <algorithm>

namespace tesserec::planning {

bool Score::operator<(const Score& other) const {
  if (missing > 0 || other.missing > 0)
    if (missing != other.missing) return missing < other.missing;
  constexpr double noise = 1e-12;
  if (worst < other.worst * (1 - noise)) return true;
  return worst <= other.worst * (1 + noise) && ranks < other.ranks;
}

Assignment::Assignment(const Problem& problem)
    : problem_(problem),
      choices_(problem.options.size()),
      own_(problem.ranks),
      pieces_(problem.ranks),
      positions_(problem.options.size()),
      common_{problem.base, 0} {}

bool Assignment::fits(int rank, double bytes) const {
  return own_[rank].bytes + common_.bytes + bytes <= problem_.memory;
}

bool Assignment::holds(std::size_t table, int rank) const {
  return std::ranges::count(choices_[table].owners, rank) > 0;
}

int Assignment::slowest() const { return int(std::ranges::max_element(own_, {}, &Load::seconds) - own_.begin()); }

int Assignment::fullest() const { return int(std::ranges::max_element(own_, {}, &Load::bytes) - own_.begin()); }

Score Assignment::score() const {
  Score score;
  for (const Load& own : own_) {
    score.worst = std::max(score.worst, own.seconds + common_.seconds);
    score.missing += std::max(0.0, own.bytes + common_.bytes - problem_.memory);
  }
  if (score.missing < 1e-3) score.missing = 0;
  for (const Load& own : own_) score.ranks += own.seconds + common_.seconds >= score.worst * (1 - 1e-9);
  return score;
}

double Assignment::slack(double worst) const {
  double sum = 0;
  for (const Load& own : own_) sum += worst - own.seconds - common_.seconds;
  return sum;
}

void Assignment::place_anywhere(const Option& option, std::vector<int>& owners) const {
  std::vector<std::size_t> ranks = ordered_by(own_.size(), [&](std::size_t rank) { return load(int(rank)); });
  for (const std::size_t i :
       ordered_by(option.pieces.size(), [&](std::size_t piece) { return -option.pieces[piece].seconds; })) {
    const double bytes = option.pieces[i].bytes + option.common.bytes;
    auto found = std::ranges::find_if(ranks, [&](std::size_t rank) { return fits(int(rank), bytes); });
    if (found == ranks.end())  // no rank fits: takes the rank with the most free memory
      found = std::ranges::min_element(ranks, {}, [&](std::size_t rank) { return own_[rank].bytes; });
    owners[i] = int(*found);
    ranks.erase(found);
  }
}

/// Puts each group on the node whose busiest rank would be least busy. Prefers nodes without a group of the table.
void Assignment::place_on_nodes(const Option& option, std::vector<int>& owners) const {
  const int inside = problem_.ranks_per_node, nodes = problem_.ranks / inside;
  const std::size_t group = option.group;
  std::vector<Load> own = own_;
  std::vector<int> used(nodes);
  for (std::size_t first = 0; first < option.pieces.size(); first += group) {
    int best = -1;
    std::tuple<int, bool, double> best_key;
    std::vector<int> best_ranks;
    for (int node = 0; node < nodes; ++node) {
      std::vector<int> ranks(inside);
      std::iota(ranks.begin(), ranks.end(), node * inside);
      if (group < ranks.size())  // the least loaded ranks; a group of all ranks keeps their order
        std::ranges::stable_sort(ranks, {}, [&](int rank) { return own[rank].seconds; });
      bool fits = true;
      double worst = 0;
      for (std::size_t i = 0; i < group; ++i) {
        const Load& piece = option.pieces[first + i];
        const Load& target = own[ranks[i]];
        fits = fits && target.bytes + common_.bytes + option.common.bytes + piece.bytes <= problem_.memory;
        worst = std::max(worst, target.seconds + piece.seconds);
      }
      const std::tuple<int, bool, double> key{used[node], !fits, worst};
      if (best < 0 || key < best_key) {
        best = node;
        best_key = key;
        best_ranks = ranks;
      }
    }
    ++used[best];
    for (std::size_t i = 0; i < group; ++i) {
      owners[first + i] = best_ranks[i];
      own[best_ranks[i]] += option.pieces[first + i];
    }
  }
}

void Assignment::place(std::size_t table, std::size_t option) {
  const Option& chosen = problem_.options[table][option];
  Choice choice{option, std::vector<int>(chosen.pieces.size())};
  if (chosen.owner_rule == OwnerRule::fixed)
    choice.owners = chosen.owners;
  else if (chosen.owner_rule == OwnerRule::node)
    place_on_nodes(chosen, choice.owners);
  else
    place_anywhere(chosen, choice.owners);
  put(table, std::move(choice));
}

void Assignment::put(std::size_t table, Choice choice) {
  choices_[table] = std::move(choice);
  const Option& chosen = option(table);
  common_ += chosen.common;
  positions_[table].resize(chosen.pieces.size());
  for (std::size_t i = 0; i < chosen.pieces.size(); ++i) add_piece({table, i});
}

void Assignment::remove(std::size_t table) {
  const Option& chosen = option(table);
  common_ -= chosen.common;
  for (std::size_t i = 0; i < chosen.pieces.size(); ++i) remove_piece({table, i});
  choices_[table] = {};
}

void Assignment::add_piece(const At& at) {
  const std::size_t rank = choices_[at.table].owners[at.piece];
  own_[rank] += piece(at);
  positions_[at.table][at.piece] = pieces_[rank].size();
  pieces_[rank].push_back(at);
}

void Assignment::remove_piece(const At& at) {
  const std::size_t rank = choices_[at.table].owners[at.piece];
  own_[rank] -= piece(at);
  const std::size_t position = positions_[at.table][at.piece];
  const At last = pieces_[rank].back();
  pieces_[rank][position] = last;
  positions_[last.table][last.piece] = position;
  pieces_[rank].pop_back();
}

void Assignment::move(const At& at, int rank) {
  remove_piece(at);
  choices_[at.table].owners[at.piece] = rank;
  add_piece(at);
}

}  // namespace tesserec::planning
