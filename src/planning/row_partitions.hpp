// SPDX-License-Identifier: Apache-2.0
/// Cuts of a table's rows at block borders, and the cheapest of them by dynamic programming over the borders.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {

/// Rows, filled bags and vectors of row pieces, whatever their columns. All blocks but the last used one are alike, so
/// a piece without that block is known by its length and the subtrees at its ends.
struct RowShares {
  /// Pieces of cut rows have at least `min_rows` rows.
  RowShares(const TableCosts& costs, Index min_rows);

  struct Share {
    double rows = 0, filled = 0, vectors = 0;
  };
  Index used = 0;           ///< blocks with rows in them
  std::vector<Share> full;  ///< [blocks]; vectors: on one side of a border of larger subtrees
  std::vector<Share> last;  ///< [first block] of the piece from there to the end
  Index shortest = 1;       ///< blocks of a piece at least, but for the last piece
  Index last_begin = 0;     ///< first block of the last piece at most; 0: rows are not cut
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

  /// Returns the least sum over pieces of `price` plus `a_piece` among cuts whose pieces load their owners by at most
  /// `most`; `none` if there is no such cut. `step`: rows are cut at multiples of so many blocks, a power of two.
  /// `borders`: of the pieces, from 0 to embedding::block_count.
  double least(const Load& most, const Price& price, double a_piece, Index step, std::vector<Index>& borders) const;

  /// Returns whether a piece with all rows loads its owner by at most `most`.
  bool fits_whole(const Load& most) const { return fits(rows_.last[0], most); }

  /// Returns a bound: at most the result of `least` with `a_piece` = 0. It ignores which borders pieces of each length
  /// can have: no piece but the last one has a lower price a block than the best length.
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
  static Affine<ShardLoad> loads(const TableCosts& costs, double width, ExchangeForm form);
  /// [blocks] of pieces without vectors.
  std::vector<double> lengths(const Affine<double>& of) const;
  /// Calls visit(begin, vectors) for all pieces [begin, end) of RowShares::shortest to `window` blocks from a multiple
  /// of `step`.
  template <class Visit>
  void pieces_before(Index end, Index window, Index step, const Visit& visit) const;
  bool fits(const Share& piece, const Load& most) const {
    return widest_seconds_.of(piece) <= most.seconds && widest_bytes_.of(piece) <= most.bytes;
  }
  /// Returns [blocks] the most vectors that a piece may have, up to the longest that fits without any.
  std::vector<double> vector_limit(const Load& most) const;
  /// Returns the longest piece within the limit.
  Index window(const std::vector<double>& limit) const;

  const RowShares& rows_;
  Affine<ShardLoad> loads_;  ///< as wide as the average
  Affine<double> widest_seconds_, widest_bytes_;
};

}  // namespace tesserec::planning
