// SPDX-License-Identifier: Apache-2.0
/// Cuts of a table's rows at block borders, and the cheapest of them by dynamic programming over the borders.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {

/// Parts of row pieces, whatever their columns.
struct RowShares {
  /// Pieces of cut rows have at least `min_rows` rows.
  RowShares(const TableCosts& costs, Index min_rows);

  /// Returns TableCosts::filled, interpolated: no more than it is, and still concave.
  double filled(double share) const {
    const double at = share * double(filled_at.size() - 2);
    const auto low = std::size_t(at);
    return filled_at[low] + (at - double(low)) * (filled_at[low + 1] - filled_at[low]);
  }
  /// Returns the sums of the subtrees from `begin` up to `top`: the block itself, or a border of larger subtrees.
  double climb(Index begin, Index top) const { return climbs[begin] - climbs[top]; }
  /// Returns the piece from `begin` to the end.
  Part last(Index begin) const;

  /// Pieces, without the last ones, that have about one share of the lookups: of each number the least that one has.
  struct LikePieces {
    double most_share = 0;
    Part part;
  };

  TableCosts costs;
  Index used = 0;                 ///< blocks with rows in them
  std::vector<double> share;      ///< [used + 1] of the lookups, in the blocks before
  std::vector<double> climbs;     ///< [used + 1] sums of the subtrees from there to the end
  std::vector<double> filled_at;  ///< at multiples of one share
  std::vector<LikePieces> alike;  ///< in falling order of their shares
  Index shortest = 1;             ///< blocks of a piece at least, but for the last piece
  Index last_begin = 0;           ///< first block of the last piece at most; 0: rows are not cut

 private:
  void gather_alike();
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

  /// Pieces cost as pieces of average width, unless one of `widest` columns is too large.
  RowPartitions(const RowShares& rows, const TableCosts& costs, double width, double widest, ExchangeForm form);

  /// Returns the least sum over pieces of `price` plus `a_piece` among cuts into pieces that load their owners by at
  /// most `most`, or `none`. `step`: rows are cut at its multiples, a power of two. `borders`: from 0 to block_count.
  double least(const Load& most, const Price& price, double a_piece, Index step, std::vector<Index>& borders) const;

  /// Returns whether a piece with all rows loads its owner by at most `most`.
  bool fits_whole(const Load& most) const { return fits(rows_.costs.whole(), most); }

  /// Returns a bound: at most the result of `least` with `a_piece` = 0. It ignores which borders pieces of each share
  /// of the lookups have: no piece but the last one has a lower price a lookup than the best share.
  double relaxed(const Load& most, const Price& price) const;

  /// Pieces for some of the ranks with these rooms: in the order of the rooms, by columns side by side.
  struct Placed {
    double price = none;
    std::vector<Index> borders;
    std::vector<std::size_t> rooms;  ///< [piece]
  };
  /// Cuts the rows into the rooms. The idle rest of a used room costs `waste` a second.
  Placed into(std::span<const Load> rooms, const Price& price, double waste, Index step) const;

 private:
  /// A load, or what is made of it, is affine in a piece's part.
  template <class T>
  struct Affine {
    T one;
    std::array<T, part_sizes> each;
    double of(const Part& part) const {
      double sum = one;
      for (std::size_t i = 0; i < part_sizes; ++i) sum += part[i] * each[i];
      return sum;
    }
    template <class Of>
    Affine<double> map(const Of& of) const {
      Affine<double> mapped{of(one), {}};
      for (std::size_t i = 0; i < part_sizes; ++i) mapped.each[i] = of(each[i]);
      return mapped;
    }
    /// Without the sums over blocks, which are the same in all cuts.
    double apart(double filled, double vectors) const {
      return one + filled * each[part_filled] + vectors * each[part_vectors];
    }
  };
  /// The same for all pieces: `upto` has the sums over blocks.
  struct OfPieces {
    Affine<double> affine;
    std::vector<double> upto;  ///< [used + 1]
    double of(Range blocks, double filled, double vectors) const {
      return upto[blocks.end] - upto[blocks.begin] + affine.apart(filled, vectors);
    }
  };
  OfPieces of_pieces(const Affine<double>& affine) const;
  /// Seconds and bytes of an owner of one piece, for all pieces, which are taken as wide as the widest.
  struct Bears {
    OfPieces seconds, bytes;
    bool fits(Range blocks, double filled, double vectors, const Load& most) const {
      return seconds.of(blocks, filled, vectors) <= most.seconds && bytes.of(blocks, filled, vectors) <= most.bytes;
    }
  };
  Bears bears() const { return {of_pieces(widest_seconds_), of_pieces(widest_bytes_)}; }
  static Affine<ShardLoad> loads(const TableCosts& costs, double width, ExchangeForm form);
  /// Calls visit(begin, filled, vectors) for all pieces [begin, end) of RowShares::shortest blocks and more, from a
  /// multiple of `step` from `low` on.
  template <class Visit>
  void pieces_before(Index end, Index low, Index step, const Visit& visit) const;
  bool fits(const Part& piece, const Load& most) const {
    return widest_seconds_.of(piece) <= most.seconds && widest_bytes_.of(piece) <= most.bytes;
  }
  /// Returns [end] where the longest piece begins that ends there and fits if it is one subtree; rising.
  std::vector<Index> lows(const Bears& bears, const Load& most) const;

  const RowShares& rows_;
  Affine<ShardLoad> loads_;  ///< as wide as the average
  Affine<double> widest_seconds_, widest_bytes_;
};

}  // namespace tesserec::planning
