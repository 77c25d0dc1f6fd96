// SPDX-License-Identifier: Apache-2.0
// Exhaustive search over tables in descending order of work, and over the options and ranks of each. Ranks with equal
// loads are interchangeable, because tables with set ranks are placed first. The first of them stands for all. A branch
// ends if its worst rank cannot beat the best plan. It also ends if the work of all ranks, with the least work of the
// remaining tables, cannot.
#include <algorithm>
#include <numeric>

#include "problem.hpp"

namespace tesserec::planning {
namespace {

constexpr Index max_nodes = 400000;
constexpr int max_ranks = 8;
constexpr std::size_t max_tables = 24;

class Tree {
 public:
  Tree(const Problem& problem, std::vector<Choice>& best, double& worst)
      : problem_(problem), best_(best), worst_(worst), own_(problem.ranks), chosen_(problem.options.size()) {
    const std::size_t count = chosen_.size();
    std::vector<double> total(count), common(count), bytes(count);
    for (std::size_t t = 0; t < count; ++t) {
      total[t] = common[t] = bytes[t] = infinity;
      for (const Option& option : problem.options[t]) {
        total[t] = std::min(total[t], option.total);
        common[t] = std::min(common[t], option.common.seconds);
        bytes[t] = std::min(bytes[t], option.total_bytes);
      }
    }
    order_ = ordered_by(count, [&](std::size_t t) {
      return std::pair(problem.options[t][0].owner_rule != OwnerRule::fixed, -total[t]);
    });
    remaining_.assign(count + 1, {});
    for (std::size_t i = count; i-- > 0;)
      remaining_[i] = {remaining_[i + 1].total + total[order_[i]], remaining_[i + 1].common + common[order_[i]],
                       remaining_[i + 1].bytes + bytes[order_[i]]};
  }

  bool run() {
    descend(0, {problem_.base, 0}, {});
    return nodes_ <= max_nodes;
  }

 private:
  struct Remaining {
    double total = 0, common = 0, bytes = 0;
  };

  /// Chooses an option of the table at `depth`. `common`: load that placed tables put on every rank. `owned`: sum of
  /// the placed pieces.
  void descend(std::size_t depth, Load common, Load owned) {
    if (++nodes_ > max_nodes) return;
    const double ranks = problem_.ranks, better = worst_ * (1 - 1e-9);
    if ((owned.seconds + remaining_[depth].total) / ranks + common.seconds >= better) return;
    if (owned.bytes + remaining_[depth].bytes + ranks * common.bytes > ranks * problem_.memory) return;
    double worst = 0, fullest = 0;
    for (const Load& own : own_) {
      worst = std::max(worst, own.seconds);
      fullest = std::max(fullest, own.bytes);
    }
    if (worst + common.seconds + remaining_[depth].common >= better || fullest + common.bytes > problem_.memory) return;
    if (depth == order_.size()) {
      worst_ = worst + common.seconds;
      best_ = chosen_;
      return;
    }
    const std::size_t t = order_[depth];
    for (std::size_t o = 0; o < problem_.options[t].size(); ++o) {
      const Option& option = problem_.options[t][o];
      Load sum = common;
      sum += option.common;
      chosen_[t] = {o, std::vector<int>(option.pieces.size(), -1)};
      place_piece(depth, option, 0, sum, owned);
    }
  }

  /// Tries piece i of the table at `depth` on each allowed rank.
  void place_piece(std::size_t depth, const Option& option, std::size_t i, const Load& common, const Load& owned) {
    if (nodes_ > max_nodes) return;
    if (i == option.pieces.size()) return descend(depth + 1, common, owned);
    std::vector<int>& owners = chosen_[order_[depth]].owners;
    const Load& piece = option.pieces[i];
    const bool like_last =
        i > 0 && option.pieces[i - 1].seconds == piece.seconds && option.pieces[i - 1].bytes == piece.bytes;
    const bool fixed = option.owner_rule == OwnerRule::fixed;
    int first = 0, last = problem_.ranks;
    if (fixed) {
      first = option.owners[i];
      last = first + 1;
    }
    if (!fixed && like_last) first = owners[i - 1] + 1;
    for (int rank = first; rank < last; ++rank) {
      const auto used = [&](int r) { return std::find(owners.begin(), owners.begin() + i, r) != owners.begin() + i; };
      Load& own = own_[rank];
      if (!fixed && used(rank)) continue;
      bool tried = false;
      for (int r = first; r < rank && !tried && !fixed; ++r) {
        const Load& other = own_[r];
        tried = !used(r) && other.seconds == own.seconds && other.bytes == own.bytes;
      }
      if (tried) continue;
      const Load before = own;
      own += piece;
      owners[i] = rank;
      if (own.seconds + common.seconds < worst_) {
        Load sum = owned;
        sum += piece;
        place_piece(depth, option, i + 1, common, sum);
      }
      own = before;
      owners[i] = -1;
      ++nodes_;
    }
  }

  const Problem& problem_;
  std::vector<Choice>& best_;
  double& worst_;
  std::vector<Load> own_;
  std::vector<Choice> chosen_;
  std::vector<std::size_t> order_;
  std::vector<Remaining> remaining_;  // [depth] least sums over the remaining tables
  Index nodes_ = 0;
};

}  // namespace

bool branch_and_bound(const Problem& problem, std::vector<Choice>& best, double& worst) {
  if (problem.ranks > max_ranks || problem.options.size() > max_tables) return false;
  for (const auto& options : problem.options)
    for (const Option& option : options)
      if (option.owner_rule == OwnerRule::node ||
          (option.owner_rule == OwnerRule::fixed && options[0].owner_rule != OwnerRule::fixed))
        return false;
  return Tree(problem, best, worst).run();
}

Score score_of(const Problem& problem, const std::vector<Choice>& choices) {
  std::vector<Load> own(problem.ranks);
  Load common{problem.base, 0};
  for (std::size_t t = 0; t < choices.size(); ++t) {
    const Option& option = problem.options[t][choices[t].option];
    common += option.common;
    for (std::size_t i = 0; i < option.pieces.size(); ++i) own[choices[t].owners[i]] += option.pieces[i];
  }
  Score score;
  for (const Load& load : own) {
    score.worst = std::max(score.worst, load.seconds + common.seconds);
    score.missing += std::max(0.0, load.bytes + common.bytes - problem.memory);
  }
  return score;
}

}  // namespace tesserec::planning
