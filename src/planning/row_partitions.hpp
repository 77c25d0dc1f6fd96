// SPDX-License-Identifier: Apache-2.0
/// Cuts of a table's rows at block borders, and the cheapest cut by dynamic programming over the borders.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {

/// Traffic of row pieces, independent of their columns.
struct RowShares {
  /// Takes the costs and the least rows of a piece of cut rows.
  RowShares(const TableCosts& costs, Index min_rows);

  /// Returns TableCosts::filled by linear interpolation, which is never above it and concave, too.
  double filled(double share) const {
    const double at = share * double(filled_at.size() - 2);
    const auto low = std::size_t(at);
    return filled_at[low] + (at - double(low)) * (filled_at[low + 1] - filled_at[low]);
  }
  /// Returns the number of vectors of the subtrees from `begin` up to `top`, which is `begin` or a border of larger
  /// subtrees.
  double climb(Index begin, Index top) const { return climbs[begin] - climbs[top]; }
  /// Returns the traffic of the piece from `begin` to the end.
  Traffic last(Index begin) const;

  /// Bound of all pieces, last ones excepted, with about the same share of lookups. Each number is the least of these
  /// pieces.
  struct PieceBound {
    double max_share = 0;
    Traffic traffic;
  };

  TableCosts costs;
  Index used = 0;                 ///< number of blocks with rows
  std::vector<double> share;      ///< [used + 1] share of the lookups in the blocks before
  std::vector<double> climbs;     ///< [used + 1] vectors of the subtrees from this block to the end
  std::vector<double> filled_at;  ///< filled at multiples of a fixed share
  std::vector<PieceBound> alike;  ///< in descending order of shares
  Index shortest = 1;             ///< least blocks of a piece, except the last piece
  Index last_begin = 0;           ///< greatest first block of a last piece; 0 = rows are not cut

 private:
  void gather_alike();
};

/// Prices of the loads of a piece, per second and per byte.
struct Price {
  double own = 0, common = 0, own_bytes = 0, common_bytes = 0;
  double of(const ShardLoad& load) const {
    return own * load.owner.seconds + common * load.common.seconds + own_bytes * load.owner.bytes +
           common_bytes * load.common.bytes;
  }
};

/// Cuts of the rows into pieces of one width and form.
class RowPartitions {
 public:
  static constexpr double none = std::numeric_limits<double>::infinity();

  /// Takes the average width of the pieces, which sets their costs, and the `widest` one, which must fit its owner.
  RowPartitions(const RowShares& rows, const TableCosts& costs, double width, double widest, ExchangeForm form);

  /// Returns the least sum over pieces of `price` plus `piece_cost`, or `none`. No piece may load its owner by more
  /// than `limit`. `step`: distance of borders, a power of two. `borders`: result, from 0 to block_count.
  double least(const Load& limit, const Price& price, double piece_cost, Index step, std::vector<Index>& borders) const;

  /// Returns whether a piece with all rows loads its owner by at most `limit`.
  bool fits_whole(const Load& limit) const { return fits(rows_.costs.whole(), limit); }

  /// Returns a lower bound of the result of least() with `piece_cost` = 0. It ignores at which borders pieces of a
  /// given share exist. Every piece but the last costs at least the best price per lookup.
  double relaxed(const Load& limit, const Price& price) const;

  /// Pieces in some of the given capacities, in their order.
  struct Placed {
    double price = none;
    std::vector<Index> borders;
    std::vector<std::size_t> capacities;  ///< [piece] index of its capacity
  };
  /// Cuts the rows into some of `capacities`. The idle rest of a used capacity costs `waste` per second.
  Placed into(std::span<const Load> capacities, const Price& price, double waste, Index step) const;

 private:
  /// Affine function of a piece's traffic, such as a load or a price.
  template <class T>
  struct Affine {
    T constant;
    std::array<T, traffic_sizes> slopes;
    double of(const Traffic& traffic) const {
      double sum = constant;
      for (std::size_t i = 0; i < traffic_sizes; ++i) sum += traffic[i] * slopes[i];
      return sum;
    }
    template <class Function>
    Affine<double> map(const Function& function) const {
      Affine<double> mapped{function(constant), {}};
      for (std::size_t i = 0; i < traffic_sizes; ++i) mapped.slopes[i] = function(slopes[i]);
      return mapped;
    }
    /// Returns the value without the terms that are sums over blocks, which are equal in all cuts.
    double apart(double filled, double vectors) const {
      return constant + filled * slopes[traffic_filled] + vectors * slopes[traffic_vectors];
    }
  };
  /// Affine function for all pieces, with prefix sums over blocks in `upto`.
  struct PieceSums {
    Affine<double> affine;
    std::vector<double> upto;  ///< [used + 1]
    double of(Range blocks, double filled, double vectors) const {
      return upto[blocks.end] - upto[blocks.begin] + affine.apart(filled, vectors);
    }
  };
  PieceSums sum_blocks(const Affine<double>& affine) const;
  /// Seconds and bytes of the owner of one piece, as if every piece had the widest width.
  struct OwnerLimits {
    PieceSums seconds, bytes;
    bool fits(Range blocks, double filled, double vectors, const Load& limit) const {
      return seconds.of(blocks, filled, vectors) <= limit.seconds && bytes.of(blocks, filled, vectors) <= limit.bytes;
    }
  };
  OwnerLimits owner_limits() const { return {sum_blocks(widest_seconds_), sum_blocks(widest_bytes_)}; }
  static Affine<ShardLoad> loads(const TableCosts& costs, double width, ExchangeForm form);
  /// Calls visit(begin, filled, vectors) for all pieces [begin, end) of at least RowShares::shortest blocks. `begin`
  /// runs over the multiples of `step` from `low`.
  template <class Visit>
  void pieces_before(Index end, Index low, Index step, const Visit& visit) const;
  bool fits(const Traffic& piece, const Load& limit) const {
    return widest_seconds_.of(piece) <= limit.seconds && widest_bytes_.of(piece) <= limit.bytes;
  }
  /// Returns, for each end, the begin of the longest piece that would fit as one subtree. The begins are ascending.
  std::vector<Index> earliest_begins(const OwnerLimits& owner_limits, const Load& limit) const;

  const RowShares& rows_;
  Affine<ShardLoad> loads_;  ///< for pieces of average width
  Affine<double> widest_seconds_, widest_bytes_;
};

}  // namespace tesserec::planning
