// SPDX-License-Identifier: Apache-2.0
#include "assignment.hpp"

#include <algorithm>
#include <numeric>

namespace tesserec::planning {

bool Standing::operator<(const Standing& other) const {
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
      held_(problem.ranks),
      where_(problem.options.size()),
      each_{problem.base, 0} {}

bool Assignment::fits(int rank, double bytes) const {
  return own_[rank].bytes + each_.bytes + bytes <= problem_.memory;
}

bool Assignment::holds(std::size_t table, int rank) const {
  const auto& owners = choices_[table].owners;
  return std::find(owners.begin(), owners.end(), rank) != owners.end();
}

int Assignment::slowest() const {
  const auto found =
      std::max_element(own_.begin(), own_.end(), [](const Load& a, const Load& b) { return a.seconds < b.seconds; });
  return int(found - own_.begin());
}

int Assignment::fullest() const {
  const auto found =
      std::max_element(own_.begin(), own_.end(), [](const Load& a, const Load& b) { return a.bytes < b.bytes; });
  return int(found - own_.begin());
}

Standing Assignment::standing() const {
  Standing standing;
  for (const Load& own : own_) {
    standing.worst = std::max(standing.worst, own.seconds + each_.seconds);
    standing.missing += std::max(0.0, own.bytes + each_.bytes - problem_.memory);
  }
  if (standing.missing < 1e-3) standing.missing = 0;
  for (const Load& own : own_) standing.ranks += own.seconds + each_.seconds >= standing.worst * (1 - 1e-9);
  return standing;
}

double Assignment::slack(double worst) const {
  double sum = 0;
  for (const Load& own : own_) sum += worst - own.seconds - each_.seconds;
  return sum;
}

std::vector<int> Assignment::by_load() const {
  std::vector<int> ranks(own_.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(), [this](int a, int b) { return load(a) < load(b); });
  return ranks;
}

void Assignment::place_anywhere(const Option& option, std::vector<int>& owners) const {
  const std::size_t count = option.pieces.size();
  std::vector<int> ranks = by_load();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return option.pieces[a].seconds > option.pieces[b].seconds; });
  for (const std::size_t i : order) {
    const double bytes = option.pieces[i].bytes + option.each.bytes;
    auto found = std::find_if(ranks.begin(), ranks.end(), [&](int rank) { return fits(rank, bytes); });
    if (found == ranks.end())  // nowhere: where most is free
      found = std::min_element(ranks.begin(), ranks.end(), [&](int a, int b) { return own_[a].bytes < own_[b].bytes; });
    owners[i] = *found;
    ranks.erase(found);
  }
}

/// Puts each group on the node whose busiest rank would be the least busy, and prefers nodes without a group of the
/// table.
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
      const auto seconds = [&](int rank) { return own[rank].seconds; };
      if (group < ranks.size())  // the least loaded; all of them in order
        std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) { return seconds(a) < seconds(b); });
      bool fits = true;
      double worst = 0;
      for (std::size_t i = 0; i < group; ++i) {
        const Load& piece = option.pieces[first + i];
        const Load& there = own[ranks[i]];
        fits = fits && there.bytes + each_.bytes + option.each.bytes + piece.bytes <= problem_.memory;
        worst = std::max(worst, there.seconds + piece.seconds);
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
  each_ += chosen.each;
  where_[table].resize(chosen.pieces.size());
  for (std::size_t i = 0; i < chosen.pieces.size(); ++i) take({table, i});
}

void Assignment::remove(std::size_t table) {
  const Option& chosen = option(table);
  each_ -= chosen.each;
  for (std::size_t i = 0; i < chosen.pieces.size(); ++i) drop({table, i});
  choices_[table] = {};
}

void Assignment::take(const At& at) {
  const std::size_t rank = choices_[at.table].owners[at.piece];
  own_[rank] += piece(at);
  where_[at.table][at.piece] = held_[rank].size();
  held_[rank].push_back(at);
}

void Assignment::drop(const At& at) {
  const std::size_t rank = choices_[at.table].owners[at.piece];
  own_[rank] -= piece(at);
  const std::size_t place = where_[at.table][at.piece];
  const At last = held_[rank].back();
  held_[rank][place] = last;
  where_[last.table][last.piece] = place;
  held_[rank].pop_back();
}

void Assignment::move(const At& at, int rank) {
  drop(at);
  choices_[at.table].owners[at.piece] = rank;
  take(at);
}

}  // namespace tesserec::planning
