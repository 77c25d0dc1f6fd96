// SPDX-License-Identifier: Apache-2.0
/// All ways to cut a table's rows at block borders, and the best of them by dynamic programming over the
/// borders.
#pragma once

#include <algorithm>
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

  /// Whether a piece with all rows loads its owner by no more.
  bool fits_whole(const Load& most) const {
    const Load& own = widest_.last[0].owner;
    return own.seconds <= most.seconds && own.bytes <= most.bytes;
  }

  /// At most what `least` gives, without a look at which borders pieces of each length can have: no piece but
  /// that of the last rows has a lower price a block than the best length.
  template <class F>
  double relaxed(const Load& most, const Price& price, const F& f) const;

  /// Pieces for some of the ranks with these rooms: in the order of the rooms, by columns side by side.
  struct Placed {
    double price = none;
    std::vector<Index> borders;
    std::vector<std::size_t> rooms;  ///< [piece]
  };
  /// What a room has left costs too, `waste` a second.
  Placed into(std::span<const Load> rooms, const Price& price, double waste, Index step) const;

 private:
  struct Loads {
    Loads(const RowShares& rows, const TableCosts& costs, double width, ExchangeForm form);
    std::vector<ShardLoad> full, last;
    ShardLoad vector;  // of one vector
  };
  static ShardLoad plus(const ShardLoad& load, const ShardLoad& vector, double vectors) {
    return {{load.owner.seconds + vectors * vector.owner.seconds, load.owner.bytes + vectors * vector.owner.bytes},
            {load.each.seconds + vectors * vector.each.seconds, load.each.bytes + vectors * vector.each.bytes}};
  }
  /// A load is a + b * vectors, where a belongs to the number of blocks.
  struct Affine {
    std::vector<double> at;  // [blocks]
    double vector = 0;
  };
  template <class Of>
  static Affine affine(const Loads& loads, const Of& of);
  template <class Visit>
  void pieces_before(Index end, Index window, Index step, const Visit& visit) const;
  /// [blocks] the most vectors that a piece may have
  std::vector<double> vector_limit(const Load& most) const;
  /// The longest piece within the limit.
  Index window(const std::vector<double>& limit) const;

  /// As wide as the average, and as wide as the widest.
  struct Piece {
    Index begin, blocks;
    ShardLoad average;
    Load widest;
  };
  void keep_unbeaten();

  const RowShares& rows_;
  Loads average_, widest_;
  /// Those that no longer piece beats, by length: with as few vectors as one can have, and those of the last rows.
  std::vector<Piece> pieces_, last_;
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

template <class Of>
RowPartitions::Affine RowPartitions::affine(const Loads& loads, const Of& of) {
  Affine found;
  for (const ShardLoad& load : loads.full) found.at.push_back(of(load));
  found.vector = of(loads.vector);
  return found;
}

template <class F>
double RowPartitions::relaxed(const Load& most, const Price& price, const F& f) const {
  const auto fits = [&](const Load& load) { return load.seconds <= most.seconds && load.bytes <= most.bytes; };
  double rate = none, best = none;
  for (const Piece& piece : pieces_)
    if (fits(piece.widest))
      rate = std::min(rate, (price.of(piece.average) + f(piece.average.owner.seconds)) / double(piece.blocks));
  for (const Piece& piece : last_)
    if (fits(piece.widest)) {
      const double before = piece.begin == 0 ? 0 : rate * double(piece.begin);
      best = std::min(best, before + price.of(piece.average) + f(piece.average.owner.seconds));
    }
  return best;
}

template <class F>
double RowPartitions::least(const Load& most, const Price& price, const F& f, std::vector<Index>* borders,
                            Index step) const {
  const Affine own = affine(average_, [](const ShardLoad& load) { return load.owner.seconds; });
  const Affine prices = affine(average_, [&](const ShardLoad& load) { return price.of(load); });
  const std::vector<double> limit = vector_limit(most);
  const Index used = rows_.used, window = this->window(limit);
  std::vector<double> sum(used, none);
  std::vector<Index> from(used);
  sum[0] = 0;
  for (Index end = step; end < used; end += step) {
    double best = none;
    Index best_begin = 0;
    pieces_before(end, window, step, [&](Index begin, double vectors) {
      const std::size_t n = end - begin;
      const double all = sum[begin] + prices.at[n] + prices.vector * vectors;
      if (all >= best || vectors > limit[n]) return;
      const double with = all + f(own.at[n] + own.vector * vectors);
      if (with < best) best = with, best_begin = begin;
    });
    sum[end] = best;
    from[end] = best_begin;
  }
  double best = none;
  Index last = 0;
  for (Index begin = 0; begin < used; ++begin) {
    const Load& largest = widest_.last[begin].owner;
    if (largest.seconds > most.seconds || largest.bytes > most.bytes) continue;
    const ShardLoad& load = average_.last[begin];
    const double all = sum[begin] + price.of(load) + f(load.owner.seconds);
    if (all < best) best = all, last = begin;
  }
  if (borders && best < none) {
    *borders = {embedding::RowBlocks::count, last};
    while (borders->back() > 0) borders->push_back(from[borders->back()]);
    std::reverse(borders->begin(), borders->end());
  }
  return best;
}

}  // namespace tesserec::planning
