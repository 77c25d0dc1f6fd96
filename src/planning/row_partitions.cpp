// SPDX-License-Identifier: Apache-2.0
#include "row_partitions.hpp"

#include <algorithm>

namespace tesserec::planning {

namespace {

constexpr std::size_t filled_steps = 4096, share_steps = 1024;

}  // namespace

RowShares::RowShares(const TableCosts& table_costs, Index min_rows) : costs(table_costs) {
  const embedding::RowBlocks& blocks = costs.blocks();
  used = blocks.block(Index(costs.rows()) - 1) + 1;
  for (std::size_t i = 0; i <= filled_steps; ++i)
    filled_at.push_back(table_costs.filled(double(i) / double(filled_steps)));
  filled_at.push_back(filled_at.back());
  for (Index b = 0; b <= used; ++b)
    share.push_back(std::min(1.0, costs.upto(b)[traffic_ids] / costs.whole()[traffic_ids]));
  climbs.resize(used + 1);
  for (Index begin = used - 1; begin > 0; --begin) {
    const Index next = std::min(used, begin + (begin & -begin));
    climbs[begin] = filled(share[next] - share[begin]) + climbs[next];
  }
  const auto rows = [&](Index begin, Index end) { return blocks.rows({begin, end}).size(); };
  while (shortest < used && rows(0, shortest) < min_rows) ++shortest;
  for (last_begin = used - 1; last_begin > 0 && rows(last_begin, used) < min_rows;) --last_begin;
  if (last_begin < shortest) last_begin = 0;
  gather_alike();
}

Traffic RowShares::last(Index begin) const {
  if (begin == 0) return costs.whole();
  Traffic traffic = costs.even() ? costs.whole() * (1 - share[begin]) : costs.whole() - costs.upto(begin);
  traffic[traffic_filled] = filled(share[used] - share[begin]);
  traffic[traffic_vectors] = climbs[begin];
  return traffic;
}

/// Gathers pieces by their share of the lookups. If rows are even, pieces from block 0 have the fewest subtrees.
void RowShares::gather_alike() {
  std::vector<PieceBound> by_share(share_steps + 2);
  const auto take = [&](Index begin, Index end, double vectors) {
    const double own = share[end] - share[begin];
    Traffic traffic = costs.upto(end) - costs.upto(begin);
    traffic[traffic_filled] = filled(own);
    traffic[traffic_vectors] = vectors;
    PieceBound& bound = by_share[std::size_t(own * double(share_steps) + 0.5)];
    if (bound.max_share == 0) bound.traffic = traffic;
    for (std::size_t i = 0; i < traffic_sizes; ++i) bound.traffic[i] = std::min(bound.traffic[i], traffic[i]);
    bound.max_share = std::max(bound.max_share, own);
  };
  for (Index end = shortest; end < used && last_begin > 0; ++end) {
    double after = 0;
    for (Index top = end; top > 0; top &= top - 1) {
      const Index below = top & (top - 1), latest = std::min(top, end - shortest);
      for (Index begin = below + 1; begin <= latest && !costs.even(); ++begin)
        if (share[end] > share[begin]) take(begin, end, after + climb(begin, top));
      after += filled(share[top] - share[below]);
    }
    if (share[end] > 0) take(0, end, after);
  }
  for (auto bound = by_share.rbegin(); bound != by_share.rend(); ++bound)
    if (bound->max_share > 0) alike.push_back(*bound);
}

RowPartitions::RowPartitions(const RowShares& rows, const TableCosts& costs, double width, double widest,
                             ExchangeForm form)
    : rows_(rows), loads_(loads(costs, width, form)) {
  const Affine<ShardLoad> wide = loads(costs, widest, form);
  widest_seconds_ = wide.map([](const ShardLoad& load) { return load.owner.seconds; });
  widest_bytes_ = wide.map([](const ShardLoad& load) { return load.owner.bytes; });
}

auto RowPartitions::loads(const TableCosts& costs, double width, ExchangeForm form) -> Affine<ShardLoad> {
  Affine<ShardLoad> affine{costs.load({}, width, form), {}};
  const ShardLoad& constant = affine.constant;
  for (std::size_t i = 0; i < traffic_sizes; ++i) {
    Traffic traffic{};
    traffic[i] = std::max(1.0, costs.whole()[i]);
    const ShardLoad with = costs.load(traffic, width, form);
    const auto slope = [&](const Load& a, const Load& b) {
      return Load{(a.seconds - b.seconds) / traffic[i], (a.bytes - b.bytes) / traffic[i]};
    };
    affine.slopes[i] = {slope(with.owner, constant.owner), slope(with.common, constant.common)};
  }
  return affine;
}

auto RowPartitions::sum_blocks(const Affine<double>& affine) const -> PieceSums {
  const TableCosts& costs = rows_.costs;
  PieceSums sums{affine, std::vector<double>(rows_.used + 1)};
  const double total = affine.of(costs.upto(rows_.used)) - affine.constant;
  for (Index b = 0; b <= rows_.used; ++b)
    sums.upto[b] = costs.even() ? rows_.share[b] * total : affine.of(costs.upto(b)) - affine.constant;
  return sums;
}

/// The subtrees of a piece grow from its begin to `top`, the border of the largest subtrees, then shrink to its end.
template <class Visit>
void RowPartitions::pieces_before(Index end, Index low, Index step, const Visit& visit) const {
  const Index latest = (end - rows_.shortest) & -step;  // begin of the shortest piece
  const std::vector<double>& share = rows_.share;
  double after = 0;
  for (Index top = end; top >= low; top &= top - 1) {
    const Index below = top & (top - 1);
    for (Index begin = std::min(top, latest); begin >= low && (begin > below || top == 0); begin -= step)
      visit(begin, rows_.filled(share[end] - share[begin]), after + rows_.climb(begin, top));
    if (top == 0) break;
    after += rows_.filled(share[top] - share[below]);
  }
}

double RowPartitions::least(const Load& limit, const Price& price, double piece_cost, Index step,
                            std::vector<Index>& borders) const {
  const PieceSums prices = sum_blocks(loads_.map([&](const ShardLoad& load) { return price.of(load); }));
  const OwnerLimits owner_limits = this->owner_limits();
  const std::vector<Index> low = earliest_begins(owner_limits, limit);
  const Index used = rows_.used;
  std::vector<double> sum(used, none);
  std::vector<Index> from(used);
  sum[0] = 0;
  for (Index end = step; end < used && rows_.last_begin > 0; end += step) {
    double best = none;
    Index best_begin = 0;
    pieces_before(end, low[end], step, [&](Index begin, double filled, double vectors) {
      const double total = sum[begin] + prices.of({begin, end}, filled, vectors) + piece_cost;
      if (total >= best || !owner_limits.fits({begin, end}, filled, vectors, limit)) return;
      best = total;
      best_begin = begin;
    });
    sum[end] = best;
    from[end] = best_begin;
  }
  double best = none;
  Index last = 0;
  for (Index begin = 0; begin <= rows_.last_begin; ++begin) {
    if (sum[begin] >= best) continue;
    const Traffic piece = rows_.last(begin);
    const double total = sum[begin] + prices.affine.of(piece) + piece_cost;
    if (total >= best || !fits(piece, limit)) continue;
    best = total;
    last = begin;
  }
  if (best == none) return none;
  borders = {embedding::block_count, last};
  while (borders.back() > 0) borders.push_back(from[borders.back()]);
  std::reverse(borders.begin(), borders.end());
  return best;
}

/// Bounds the price by the least price per lookup, searched from the largest share downward. A piece that were one
/// subtree would cost a concave function of its share, and no piece costs less. The search ends if one subtree costs no
/// less than the best piece so far, because smaller pieces then cost no less per lookup. Among last pieces, the first
/// or the last costs least.
double RowPartitions::relaxed(const Load& limit, const Price& price) const {
  const Affine<double> prices = loads_.map([&](const ShardLoad& load) { return price.of(load); });
  const Traffic& whole = rows_.costs.whole();
  // The whole table is a special case: its vectors are finished, and may be smaller than those of a subtree.
  double best = fits_whole(limit) ? prices.of(whole) : none;
  if (rows_.last_begin == 0) return best;
  double rate = none;
  for (const RowShares::PieceBound& pieces : rows_.alike) {
    const double one_subtree = rows_.filled(pieces.max_share);
    if (prices.apart(one_subtree, one_subtree) >= rate * pieces.max_share) break;
    if (fits(pieces.traffic, limit))
      rate = std::min(rate,
                      prices.apart(pieces.traffic[traffic_filled], pieces.traffic[traffic_vectors]) / pieces.max_share);
  }
  if (rate == none) return best;
  const double sums = prices.of(whole) - prices.apart(whole[traffic_filled], whole[traffic_vectors]);
  const auto before = [&](Index begin) { return sums + rate * rows_.share[begin]; };
  const auto as_subtree = [&](Index begin) {
    const double filled = rows_.filled(rows_.share[rows_.used] - rows_.share[begin]);
    return before(begin) + prices.apart(filled, filled);
  };
  const double at_end = as_subtree(rows_.last_begin);
  for (Index begin = rows_.shortest; begin <= rows_.last_begin; ++begin) {
    if (std::min(at_end, as_subtree(begin)) >= best) break;
    const Traffic piece = rows_.last(begin);
    if (fits(piece, limit))
      best = std::min(best, before(begin) + prices.apart(piece[traffic_filled], piece[traffic_vectors]));
  }
  return best;
}

std::vector<Index> RowPartitions::earliest_begins(const OwnerLimits& owner_limits, const Load& limit) const {
  std::vector<Index> low(rows_.used + 1);
  for (Index end = 1; end <= rows_.used; ++end) {
    Index begin = low[end - 1];
    for (; begin < end; ++begin) {
      const double filled = rows_.filled(rows_.share[end] - rows_.share[begin]);
      if (owner_limits.fits({begin, end}, filled, filled, limit)) break;
    }
    low[end] = begin;
  }
  if (fits_whole(limit)) low[rows_.used] = 0;  // finished vectors may be smaller
  return low;
}

namespace {

/// Returns the number of leading capacities that equal the first one.
std::size_t alike(std::span<const Load> capacities) {
  std::size_t count = 0;
  while (count < capacities.size() && capacities[count] == capacities[0]) ++count;
  return count;
}

}  // namespace

/// Solves by dynamic programming. sum[end] is the least price of blocks [0, end) in some of the capacities so far.
RowPartitions::Placed RowPartitions::into(std::span<const Load> all_capacities, const Price& price, double waste,
                                          Index step) const {
  const Price net{price.own - waste, price.common, 0, 0};
  const PieceSums prices = sum_blocks(loads_.map([&](const ShardLoad& load) { return net.of(load); }));
  const OwnerLimits owner_limits = this->owner_limits();
  const Index used = rows_.used;
  // The search uses half more capacities than would hold the table, and at least 3.
  std::vector<std::vector<Index>> earliest_begins;  // [capacities]
  Index covered = 0;                                // number of blocks that the capacities so far can hold
  std::size_t once = 0;                             // number of capacities that hold the table
  for (const Load& capacity : all_capacities) {
    const std::size_t k = earliest_begins.size();
    if (once > 0 && 2 * k >= 3 * once && k >= 3) break;
    if (k > 0 && capacity == all_capacities[k - 1])
      earliest_begins.push_back(earliest_begins.back());
    else
      earliest_begins.push_back(this->earliest_begins(owner_limits, capacity));
    const std::vector<Index>& low = earliest_begins.back();
    covered = std::upper_bound(low.begin(), low.end(), covered) - low.begin() - 1;
    if (once == 0 && covered == used) once = earliest_begins.size();
  }
  const std::span<const Load> capacities = all_capacities.first(earliest_begins.size());
  if (const std::size_t count = alike(capacities); count > 1) {  // any piece fits any of these, which are equal
    Placed placed;
    placed.price = least(capacities[0], net, waste * capacities[0].seconds, step, placed.borders);
    if (placed.price < none && placed.borders.size() <= count + 1) {
      for (std::size_t i = 0; i + 1 < placed.borders.size(); ++i) placed.capacities.push_back(i);
      return placed;
    }
  }
  std::vector<Index> least_end(capacities.size() + 1, used);  // [capacities + 1] least end whose rest fits from here on
  for (const std::vector<Index>& low : earliest_begins) least_end.back() = std::min(least_end.back(), low[used]);
  for (std::size_t k = capacities.size(); k-- > 0;) least_end[k] = earliest_begins[k][least_end[k + 1]];

  std::vector<double> sum(used, none);
  std::vector<std::vector<std::int16_t>> from(capacities.size(), std::vector<std::int16_t>(used, -1));
  sum[0] = 0;
  Index reached = 0;  // largest end with a price
  Placed placed;
  std::size_t last_capacity = 0;
  Index last = 0;
  for (std::size_t k = 0; k < capacities.size(); ++k) {
    const Load& capacity = capacities[k];
    const std::vector<Index>& low = earliest_begins[k];
    const double whole = waste * capacity.seconds;
    for (Index begin = std::max(low[used], least_end[k]); begin <= std::min(reached, rows_.last_begin); ++begin) {
      if (sum[begin] == none) continue;
      const Traffic piece = rows_.last(begin);
      if (!fits(piece, capacity)) continue;
      const double total = sum[begin] + prices.affine.of(piece) + whole;
      if (total < placed.price * (1 - 1e-12)) {
        placed.price = total;
        last_capacity = k;
        last = begin;
      }
    }
    const Index longest = std::upper_bound(low.begin(), low.begin() + used, reached) - low.begin() - 1;
    for (Index end = longest / step * step; end >= std::max<Index>(1, least_end[k + 1]);
         end -= step) {  // descending: sum[begin] must still be without `capacity`
      double best = sum[end] * (1 - 1e-12);
      pieces_before(end, low[end], step, [&](Index begin, double filled, double vectors) {
        const double total = sum[begin] + prices.of({begin, end}, filled, vectors) + whole;
        if (total >= best || !owner_limits.fits({begin, end}, filled, vectors, capacity)) return;
        best = total;
        from[k][end] = static_cast<std::int16_t>(begin);
      });
      if (from[k][end] >= 0) sum[end] = best;
    }
    reached = std::max(reached, longest);
  }
  if (placed.price == none) return placed;
  placed.borders = {embedding::block_count, last};
  placed.capacities = {last_capacity};
  for (std::size_t k = last_capacity; k-- > 0 && placed.borders.back() > 0;) {
    const Index begin = from[k][placed.borders.back()];
    if (begin < 0) continue;
    placed.borders.push_back(begin);
    placed.capacities.push_back(k);
  }
  std::reverse(placed.borders.begin(), placed.borders.end());
  std::reverse(placed.capacities.begin(), placed.capacities.end());
  return placed;
}

}  // namespace tesserec::planning
