// SPDX-License-Identifier: Apache-2.0
/// Tiles of matrix products on a device: a team stages a block of the depth of both operands in its scratch memory, and
/// each of its threads keeps a register tile of the result. What a thread does is a slot; on the host one thread has
/// all slots of a team, one after the other.
#pragma once

#include <cmath>

#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/rows.hpp>

namespace tesserec::products {

/// Slots beside each other, and rows and columns of each one's register tile. Columns of a slot come in fours, as far
/// apart as all slots' fours are wide, so that the threads of a warp read and write beside each other.
template <int slot_rows_, int slot_columns_, int tile_rows_, int tile_columns_,
          int members_ = device_is_host ? 1 : slot_rows_* slot_columns_>
struct TileShape {
  static constexpr int slot_rows = slot_rows_, slot_columns = slot_columns_;
  static constexpr int tile_rows = tile_rows_, tile_columns = tile_columns_;
  static constexpr int slots = slot_rows * slot_columns;
  static constexpr int members = members_, slots_each = slots / members;  // threads
  static constexpr int rows = slot_rows * tile_rows, columns = slot_columns * tile_columns;
  static constexpr int depth = 16;  // that is staged
  // Between the staged rows of one depth and the next: no two threads of a warp that stage meet in a bank often.
  static constexpr int pitch_a = rows + 4, pitch_b = columns + 4;
  static constexpr int floats = depth * (pitch_a + pitch_b);
  static_assert(tile_rows % 4 == 0 && tile_columns % 4 == 0);
};

/// A team's tile: c += a b, depth after depth.
template <class S, class Team>
class DeviceTile {
 public:
  TESSEREC_FUNCTION explicit DeviceTile(const Team& team)
      : team_(team), a_(scratch_of(team, S::floats)), b_(a_ + S::depth * S::pitch_a) {}

  /// body(slot of this thread, its number among those)
  template <class Body>
  TESSEREC_FUNCTION void each_slot(const Body& body) const {  // one on a GPU
    for (int s = 0; s < S::slots_each; ++s) body(team_.team_rank() * S::slots_each + s, s);
  }
  /// body(row, column, c) of a slot's tile, for what lies inside [rows, columns].
  template <class Body>
  TESSEREC_FUNCTION static void each_element(int slot, Index rows, Index columns,
                                             float (&c)[S::tile_rows][S::tile_columns], const Body& body) {
    TESSEREC_UNROLL
    for (int r = 0; r < S::tile_rows; ++r) {
      TESSEREC_UNROLL
      for (int i = 0; i < S::tile_columns; ++i) {
        const int row = row_of(slot) + r, column = column_of(slot) + i / 4 * 4 * S::slot_columns + i % 4;
        if (row < rows && column < columns) body(row, column, c[r][i]);
      }
    }
  }
  /// Returns whether any of it lies inside.
  TESSEREC_FUNCTION static bool is_wanted(int slot, Index rows, Index columns) {
    return row_of(slot) < rows && column_of(slot) < columns;
  }

  /// a[k][m] = from[m][first + k], `from` at the tile's first of `rows` rows: the depth runs along rows.
  TESSEREC_FUNCTION void stage_a_along(Rows<const float> from, Index rows, Index first, int depth) const {
    stage_along<S::rows, S::pitch_a>(from, rows, first, depth, a_);
  }
  TESSEREC_FUNCTION void stage_b_along(Rows<const float> from, Index columns, Index first, int depth) const {
    stage_along<S::columns, S::pitch_b>(from, columns, first, depth, b_);
  }
  /// a[k][m] = from[first + k][m], `from` at the tile's first of `rows` columns: the depth runs down columns.
  TESSEREC_FUNCTION void stage_a_down(Rows<const float> from, Index rows, Index first, int depth) const {
    stage_down<S::rows, S::pitch_a>(from, rows, first, depth, a_);
  }
  TESSEREC_FUNCTION void stage_b_down(Rows<const float> from, Index columns, Index first, int depth) const {
    stage_down<S::columns, S::pitch_b>(from, columns, first, depth, b_);
  }

  /// c[r][i] = fma(a, b, c[r][i]) at each of `depth` staged depths in order.
  TESSEREC_FUNCTION void accumulate(int slot, int depth, float (&c)[S::tile_rows][S::tile_columns]) const {
    const float* const a = a_ + row_of(slot);
    const float* const b = b_ + column_of(slot);
    if (depth == S::depth) {
      TESSEREC_UNROLL
      for (int k = 0; k < S::depth; ++k) step(a + k * S::pitch_a, b + k * S::pitch_b, c);
    } else {
      for (int k = 0; k < depth; ++k) step(a + k * S::pitch_a, b + k * S::pitch_b, c);
    }
  }

 private:
  struct alignas(16) Four {
    float of[4];
  };
  TESSEREC_FUNCTION static int row_of(int slot) { return slot / S::slot_columns * S::tile_rows; }
  TESSEREC_FUNCTION static int column_of(int slot) { return slot % S::slot_columns * 4; }

  template <int size, int pitch>
  TESSEREC_FUNCTION void stage_along(Rows<const float> from, Index there, Index first, int depth, float* to) const {
    for (int t = team_.team_rank(); t < size * S::depth; t += S::members) {
      const int m = t / S::depth, k = t % S::depth;
      to[k * pitch + m] = m < there && k < depth ? from[m][first + k] : 0.0f;
    }
  }
  template <int size, int pitch>
  TESSEREC_FUNCTION void stage_down(Rows<const float> from, Index there, Index first, int depth, float* to) const {
    for (int t = team_.team_rank(); t < size * S::depth; t += S::members) {
      const int k = t / size, m = t % size;
      to[k * pitch + m] = m < there && k < depth ? from[first + k][m] : 0.0f;
    }
  }
  TESSEREC_FUNCTION static void step(const float* a, const float* b, float (&c)[S::tile_rows][S::tile_columns]) {
    Four rows[S::tile_rows / 4], columns[S::tile_columns / 4];
    TESSEREC_UNROLL
    for (int i = 0; i < S::tile_rows / 4; ++i) rows[i] = *reinterpret_cast<const Four*>(a + 4 * i);
    TESSEREC_UNROLL
    for (int i = 0; i < S::tile_columns / 4; ++i)
      columns[i] = *reinterpret_cast<const Four*>(b + i * 4 * S::slot_columns);
    TESSEREC_UNROLL
    for (int r = 0; r < S::tile_rows; ++r) {
      TESSEREC_UNROLL
      for (int i = 0; i < S::tile_columns; ++i)
        c[r][i] = std::fma(rows[r / 4].of[r % 4], columns[i / 4].of[i % 4], c[r][i]);
    }
  }

  const Team& team_;
  float *a_, *b_;
};

}  // namespace tesserec::products
