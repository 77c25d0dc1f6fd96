// SPDX-License-Identifier: Apache-2.0
/// All ways to cut a table's rows at block borders, and the best of them by dynamic programming over the
/// borders.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {

/// What pieces of the rows have, whatever their columns. All blocks but the last used one are alike, so a
/// piece without that one is known by its length and the subtrees at its ends.
struct RowShares {
  explicit RowShares(const TableCosts& costs);

  struct Share {
    double rows = 0, filled = 0, vectors = 0;
  };
  Index used = 0;           ///< blocks with rows in them
  std::vector<Share> full;  ///< [blocks]; vectors: on one side of a border of larger subtrees
  std::vector<Share> last;  ///< [first block] of the piece from there to the end
};

/// Prices of the loads of a piece.
struct Price {
  double own = 0, each = 0, own_bytes = 0, each_bytes = 0;
  double of(const ShardLoad& load) const {
    return own * load.owner.seconds + each * load.each.seconds + own_bytes * load.owner.bytes +
           each_bytes * load.each.bytes;
  }
};

/// The row pieces of one width in one form.
class RowPartitions {
 public:
  static constexpr double none = std::numeric_limits<double>::infinity();

  /// Pieces as wide as the columns' average cost what is said of them, unless one of `widest` columns is too
  /// large.
  RowPartitions(const RowShares& rows, const TableCosts& costs, double width, double widest, ExchangeForm form);

  /// The least sum over pieces of `price`, plus f(seconds of the owner), when no piece loads its owner by
  /// more than `most`; `none` when that is impossible. `borders`: of the pieces, from 0 to RowBlocks::count. `step`:
  /// rows are cut at multiples of so many blocks, a power of two.
  template <class F>
  double least(const Load& most, const Price& price, const F& f, std::vector<Index>* borders = nullptr,
               Index step = 1) const;
  double least(const Load& most, const Price& price, std::vector<Index>* borders = nullptr) const {
    return least(
        most, price, [](double) { return 0.0; }, borders);
  }

  /// So many pieces that load alike.
  struct Pieces {
    double count = 0;
    ShardLoad load;
  };
  /// Between these borders.
  std::vector<Pieces> pieces(const std::vector<Index>& borders) const;

  /// Whether a piece with all rows loads its owner by no more.
  bool fits_whole(const Load& most) const { return fits(rows_.last[0], most); }

  /// At most what `least` gives, without a look at which borders pieces of each length can have: no piece but
  /// that of the last rows has a lower price a block than the best length.
  struct Relaxed {
    double price = none;
    std::array<Pieces, 2> pieces;  ///< of the best length, and of the last rows
  };
  template <class F>
  Relaxed relaxed(const Load& most, const Price& price, const F& f) const;

  /// Pieces for some of the ranks with these rooms: in the order of the rooms, by columns side by side.
  struct Placed {
    double price = none;
    std::vector<Index> borders;
    std::vector<std::size_t> rooms;  ///< [piece]
  };
  /// What a room has left costs too, `waste` a second.
  Placed into(std::span<const Load> rooms, const Price& price, double waste, Index step) const;

 private:
  using Share = RowShares::Share;
  /// A load, or what is made of it, is affine in what the piece has of the rows.
  template <class T>
  struct Affine {
    T one, row, filled, vector;
    double of(const Share& s) const { return one + s.rows * row + s.filled * filled + s.vectors * vector; }
    template <class Of>
    Affine<double> map(const Of& of) const {
      return {of(one), of(row), of(filled), of(vector)};
    }
  };
  ShardLoad load(const Share& piece) const;
  static Affine<ShardLoad> loads(const TableCosts& costs, double width, ExchangeForm form);
  /// [blocks] of pieces without vectors.
  std::vector<double> lengths(const Affine<double>& of) const;
  template <class Visit>
  void pieces_before(Index end, Index window, Index step, const Visit& visit) const;
  bool fits(const Share& piece, const Load& most) const {
    return widest_seconds_.of(piece) <= most.seconds && widest_bytes_.of(piece) <= most.bytes;
  }
  /// [blocks] the most vectors that a piece may have, up to the longest that fits without any
  std::vector<double> vector_limit(const Load& most) const;
  /// The longest piece within the limit.
  Index window(const std::vector<double>& limit) const;

  const RowShares& rows_;
  Affine<ShardLoad> loads_;  ///< as wide as the average
  Affine<double> own_;       ///< seconds of the owner
  Affine<double> widest_seconds_, widest_bytes_;
};

/// Calls visit(begin, vectors) for all pieces [begin, end) of at most `window` blocks from a multiple of `step`. The
/// subtrees of a piece climb from its begin to the border inside it that most subtrees share, and descend from there to
/// its end.
template <class Visit>
void RowPartitions::pieces_before(Index end, Index window, Index step, const Visit& visit) const {
  for (Index top = end; top > 0; top &= top - 1) {
    const Index low = std::max(top - (top & -top), end - window);
    if (top - step < low) break;
    const double after = rows_.full[end - top].vectors;
    for (Index begin = top - step; begin >= low; begin -= step) visit(begin, after + rows_.full[top - begin].vectors);
  }
}

/// From the longest piece on. What a piece costs if all its blocks were one subtree is concave in its rows, and none
/// has less: a block of a shorter piece costs no less than that, and of the pieces of the last rows the first or the
/// last one has the least. So the look ends where that is no less than what was found.
template <class F>
auto RowPartitions::relaxed(const Load& most, const Price& price, const F& f) const -> Relaxed {
  const Affine<double> prices = loads_.map([&](const ShardLoad& load) { return price.of(load); });
  const auto one_subtree = [&](const Share& s) { return prices.of({s.rows, s.filled, s.filled}); };
  const auto too_large = [&](const Share& s) { return !fits({s.rows, s.filled, s.filled}, most); };
  const auto longest = std::partition_point(rows_.full.rbegin(), rows_.full.rend() - 1, too_large);
  double rate = none, rate_blocks = 0, best = none;
  auto best_piece = rows_.full.rend() - 1;
  for (auto piece = longest; piece != rows_.full.rend() - 1; ++piece) {
    const double blocks = double(rows_.full.rend() - 1 - piece);
    if (one_subtree(*piece) >= rate * blocks) break;
    const double linear = prices.of(*piece);
    if (linear >= rate * blocks || !fits(*piece, most)) continue;
    const double with = linear + f(own_.of(*piece));
    if (with < rate * blocks) {
      rate = with / blocks;
      rate_blocks = blocks;
      best_piece = piece;
    }
  }
  // The piece with all rows is by itself: its vectors are finished, and may be smaller than a subtree's.
  auto best_last = rows_.last.begin();
  if (fits(*best_last, most)) best = prices.of(*best_last) + f(own_.of(*best_last));
  const auto before = [&](auto piece) { return rate * double(piece - rows_.last.begin()); };
  const auto first = std::partition_point(best_last + 1, rows_.last.end(), too_large);
  const double at_end = before(rows_.last.end() - 1) + one_subtree(rows_.last.back());
  for (auto piece = first; rate < none && piece != rows_.last.end(); ++piece) {
    if (std::min(at_end, before(piece) + one_subtree(*piece)) >= best) break;
    const double linear = before(piece) + prices.of(*piece);
    if (linear >= best || !fits(*piece, most)) continue;
    const double with = linear + f(own_.of(*piece));
    if (with < best) {
      best = with;
      best_last = piece;
    }
  }
  if (best == none) return {};
  const double blocks = double(best_last - rows_.last.begin());
  return {best, {{{blocks > 0 ? blocks / rate_blocks : 0, load(*best_piece)}, {1, load(*best_last)}}}};
}

template <class F>
double RowPartitions::least(const Load& most, const Price& price, const F& f, std::vector<Index>* borders,
                            Index step) const {
  const Affine<double> price_of = loads_.map([&](const ShardLoad& load) { return price.of(load); });
  const std::vector<double> own = lengths(own_), prices = lengths(price_of), limit = vector_limit(most);
  const Index used = rows_.used, window = this->window(limit);
  std::vector<double> sum(used, none);
  std::vector<Index> from(used);
  sum[0] = 0;
  for (Index end = step; end < used; end += step) {
    double best = none;
    Index best_begin = 0;
    pieces_before(end, window, step, [&](Index begin, double vectors) {
      const std::size_t n = end - begin;
      const double all = sum[begin] + prices[n] + price_of.vector * vectors;
      if (all >= best || vectors > limit[n]) return;
      const double with = all + f(own[n] + own_.vector * vectors);
      if (with < best) {
        best = with;
        best_begin = begin;
      }
    });
    sum[end] = best;
    from[end] = best_begin;
  }
  double best = none;
  Index last = 0;
  for (Index begin = 0; begin < used; ++begin) {
    const Share& piece = rows_.last[begin];
    const double all = sum[begin] + price_of.of(piece);
    if (all >= best || !fits(piece, most)) continue;
    const double with = all + f(own_.of(piece));
    if (with < best) {
      best = with;
      last = begin;
    }
  }
  if (borders && best < none) {
    *borders = {embedding::RowBlocks::count, last};
    while (borders->back() > 0) borders->push_back(from[borders->back()]);
    std::reverse(borders->begin(), borders->end());
  }
  return best;
}

}  // namespace tesserec::planning
