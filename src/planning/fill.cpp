// SPDX-License-Identifier: Apache-2.0
// Order of placement. Tables are placed one by one, whole or cut into the free capacities. Or all tables are cut first,
// and their pieces are placed, largest first.
#include <algorithm>
#include <numeric>
#include <optional>

#include "bins.hpp"

namespace tesserec::planning {
namespace {

constexpr int max_passes = 8;

}  // namespace

bool Bins::run() { return style_.order == FillStyle::Order::pieces ? run_pieces() : run_tables(); }

bool Bins::run_tables() {
  const std::size_t count = choices_.size();
  std::vector<std::size_t> cheapest(count);
  for (std::size_t t = 0; t < count; ++t) {
    cheapest[t] = cheapest_of(t);
    common_ += problem_.options[t][cheapest[t]].common;
  }
  const auto option = [&](std::size_t t) -> const Option& { return problem_.options[t][cheapest[t]]; };
  std::vector<double> key(count);
  for (std::size_t t = 0; t < count; ++t) {
    const double size = option(t).max_seconds * double(option(t).group);  // seconds of a group on one node
    if (style_.order == FillStyle::Order::expensive_first)
      key[t] = cost_of_cut(t, option(t));
    else
      key[t] = style_.order == FillStyle::Order::small_first ? -size : size;
  }
  const auto place = [&](std::size_t t) { return std::pair(option(t).owner_rule != OwnerRule::fixed, -key[t]); };
  for (const std::size_t t : ordered_by(count, place))
    if (!place_whole(t, cheapest[t]) && !place_cut(t, cheapest[t])) return false;
  return true;
}

bool Bins::run_pieces() {
  const std::size_t count = choices_.size();
  std::vector<std::size_t> given(count), later;  // index of an original option
  std::vector<std::optional<Option>> cut_anywhere(count);
  for (std::size_t t = 0; t < count; ++t) {
    given[t] = cheapest_of(t);
    cut_anywhere[t] = cheapest_cut(t, given[t]);
    if (!cut_anywhere[t]) later.push_back(t);
    common_ += cut_anywhere[t] ? cut_anywhere[t]->common : problem_.options[t][given[t]].common;
  }
  for (const std::size_t t : later)
    if (!place_whole(t, given[t]) && !place_cut(t, given[t])) return false;
  later.clear();
  struct Piece {
    double seconds;
    std::size_t table, place;
  };
  std::vector<Piece> pieces;
  for (std::size_t t = 0; t < count; ++t)
    for (std::size_t i = 0; cut_anywhere[t] && i < cut_anywhere[t]->pieces.size(); ++i)
      pieces.push_back({cut_anywhere[t]->pieces[i].seconds, t, i});
  std::ranges::stable_sort(pieces, std::ranges::greater{}, &Piece::seconds);
  for (const auto& [seconds, t, place] : pieces) {
    if (!cut_anywhere[t] || place_piece(*cut_anywhere[t], place)) continue;
    remove(*cut_anywhere[t]);  // does not fit: the table is cut into the remaining capacities later
    cut_anywhere[t].reset();
    common_ += problem_.options[t][given[t]].common;
    later.push_back(t);
  }
  for (std::size_t t = 0; t < count; ++t)
    if (cut_anywhere[t]) cuts_.emplace_back(t, std::move(*cut_anywhere[t]));
  return std::ranges::all_of(later, [&](std::size_t t) { return place_whole(t, given[t]) || place_cut(t, given[t]); });
}

std::size_t Bins::cheapest_of(std::size_t t) const {
  const auto& options = problem_.options[t];
  const double capacity = excludes_common_ ? level_ : level_ - problem_.base;
  const auto key = [&](const Option& option) {
    const bool large = option.max_seconds > capacity && !problem_.free[t];
    return std::pair(large, option.total);
  };
  std::size_t best = 0;
  for (std::size_t o = 1; o < options.size(); ++o)
    if (options[o].borders.empty() && key(options[o]) < key(options[best])) best = o;
  return best;
}

std::optional<Option> Bins::cheapest_cut(std::size_t t, std::size_t& given) const {
  if (!problem_.free[t]) return {};
  const FreeTable& free = *problem_.free[t];
  const Price price{1, style_.common * problem_.ranks, 0, 0};
  const Load largest{level_, problem_.memory - std::max(common_.bytes, reserved_.bytes)};
  double least = RowPartitions::none;
  for (std::size_t o = 0; o < problem_.options[t].size(); ++o) {
    const Option& option = problem_.options[t][o];
    if (option.owner_rule == OwnerRule::anywhere && !option.pieces.empty()) continue;  // the cuts below cover it
    if (option.max_seconds > largest.seconds || option.max_bytes > largest.bytes) continue;
    double value = price.of({{}, option.common});
    for (const Load& piece : option.pieces) value += price.of({piece, {}});
    if (value >= least) continue;
    least = value;
    given = o;
  }
  struct Candidate {
    double least;  // lower bound of all cuts of rows
    const FreeTable::Cut* cut;
  };
  std::vector<Candidate> candidates;
  for (const FreeTable::Cut& cut : free.cuts()) {
    const double columns = double(cut.columns);
    if (cut.columns > problem_.ranks || columns * price.of(cut.whole) >= least) continue;
    candidates.push_back({columns * cut.partitions.relaxed(largest, price), &cut});
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::least);
  const FreeTable::Cut* best = nullptr;
  std::vector<Index> borders, best_borders;
  for (const auto& [bound_reached, cut] : candidates) {
    if (bound_reached >= least) break;
    const double value = double(cut->columns) * cut->partitions.least(largest, price, 0, free.step(), borders);
    if (value >= least) continue;
    least = value;
    best = cut;
    best_borders = borders;
  }
  if (!best) return {};
  Option option = free.option(*best, best_borders, problem_.ranks);
  option.owners.assign(option.pieces.size(), nobody);
  return option;
}

double Bins::cost_of_cut(std::size_t t, const Option& whole) const {
  double least = infinity;
  if (!problem_.free[t]) return least;
  for (const FreeTable::Cut& cut : problem_.free[t]->cuts()) {
    if (cut.columns > 1) continue;
    const TableCosts& costs = problem_.free[t]->costs(cut);
    Traffic traffic = costs.whole() * 0.5;
    traffic[traffic_filled] = traffic[traffic_vectors] = costs.filled(0.5);
    const ShardLoad half = costs.load(traffic, costs.dim(), cut.form);
    least = std::min(least, 2 * (half.owner.seconds + problem_.ranks * half.common.seconds) - whole.total);
  }
  return least;
}

std::vector<Choice> fill_to_level(Problem& problem, double level, const FillStyle& style, Load& reserved) {
  for (int pass = 0; pass < max_passes; ++pass) {
    Bins bins(problem, level, false, reserved, style);
    const bool filled = bins.run();
    if (filled && bins.kept_level()) return bins.choices();
    if (!filled && bins.common().seconds <= reserved.seconds) return {};
    reserved = bins.common();
  }
  return {};
}

/// Fills ranks in passes until the bytes of every rank's load are reserved.
std::vector<Choice> fill_capacities(Problem& problem, double capacity, const FillStyle& style) {
  Load reserved;
  for (int pass = 0; pass < max_passes; ++pass) {
    Bins bins(problem, capacity, true, reserved, style);
    if (!bins.run()) return {};
    if (bins.kept_level()) return bins.choices();
    reserved = bins.common();
  }
  return {};
}

}  // namespace tesserec::planning
