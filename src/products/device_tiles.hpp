// SPDX-License-Identifier: Apache-2.0
/// Tiles of matrix products on a device. A team stages a block of the depth of both operands in scratch memory. A slot
/// is one thread's register tile of the result. In a host build, one thread runs all slots of a team in turn.
#pragma once

#include <cmath>

#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/rows.hpp>

namespace tesserec::products {

/// Shape of a team's tile: slot_rows x slot_columns slots, each a register tile of tile_rows x tile_columns. A slot's
/// columns are groups of 4, which lie 4 * slot_columns apart, so that a warp's accesses are contiguous.
template <int slot_rows_, int slot_columns_, int tile_rows_, int tile_columns_,
          int members_ = device_is_host ? 1 : slot_rows_* slot_columns_>
struct TileShape {
  static constexpr int slot_rows = slot_rows_, slot_columns = slot_columns_;
  static constexpr int tile_rows = tile_rows_, tile_columns = tile_columns_;
  static constexpr int slots = slot_rows * slot_columns;
  static constexpr int members = members_, slots_each = slots / members;  // threads, and slots of each
  static constexpr int rows = slot_rows * tile_rows, columns = slot_columns * tile_columns;
  static constexpr int depth = 16;  // staged at once
  // Floats from one staged depth to the next. Padding of 4 keeps bank conflicts between staging threads rare.
  static constexpr int pitch_a = rows + 4, pitch_b = columns + 4;
  static constexpr int floats = depth * (pitch_a + pitch_b);
  static_assert(tile_rows % 4 == 0 && tile_columns % 4 == 0);
};

/// Block of an operand that a team stages in scratch memory: [depth][size], with `pitch` floats from one depth to the
/// next.
template <class S, int size, int pitch, class Team>
struct StagedBlock {
  const Team& team;
  float* to;

  /// Stages to[k][m] = from[m][first + k], with the depth along rows. `from` starts at the tile and has `count` rows.
  TESSEREC_FUNCTION void along(Rows<const float> from, Index count, Index first, int depth) const {
    for (int t = team.team_rank(); t < size * S::depth; t += S::members) {
      const int m = t / S::depth, k = t % S::depth;
      to[k * pitch + m] = m < count && k < depth ? from[m][first + k] : 0.0f;
    }
  }
  /// Stages to[k][m] = from[first + k][m], with the depth down columns. `from` starts at the tile and has `count`
  /// columns.
  TESSEREC_FUNCTION void down(Rows<const float> from, Index count, Index first, int depth) const {
    for (int t = team.team_rank(); t < size * S::depth; t += S::members) {
      const int k = t / size, m = t % size;
      to[k * pitch + m] = m < count && k < depth ? from[first + k][m] : 0.0f;
    }
  }
};

/// Tile of one team, which accumulates c += a b over the depth in order.
template <class S, class Team>
class DeviceTile {
 public:
  TESSEREC_FUNCTION explicit DeviceTile(const Team& team)
      : a{team, scratch_of(team, S::floats)}, b{team, a.to + S::depth * S::pitch_a} {}

  const StagedBlock<S, S::rows, S::pitch_a, Team> a;
  const StagedBlock<S, S::columns, S::pitch_b, Team> b;

  /// Calls body(slot, index among this thread's slots) for each slot of this thread. A GPU's thread has one.
  template <class Body>
  TESSEREC_FUNCTION void each_slot(const Body& body) const {
    for (int s = 0; s < S::slots_each; ++s) body(a.team.team_rank() * S::slots_each + s, s);
  }
  /// Calls body(row, column, c) for each element of a slot's tile inside [rows, columns].
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
  TESSEREC_FUNCTION static void clear(float (&c)[S::tile_rows][S::tile_columns]) {
    TESSEREC_UNROLL
    for (int r = 0; r < S::tile_rows; ++r) {
      TESSEREC_UNROLL
      for (int i = 0; i < S::tile_columns; ++i) c[r][i] = 0.0f;
    }
  }

  /// Adds the staged block to the tiles of this thread's slots that reach inside [rows, columns]. Waits until the team
  /// has staged it, and until the team has read it.
  TESSEREC_FUNCTION void accumulate_staged(Index rows, Index columns, int depth,
                                           float (&c)[S::slots_each][S::tile_rows][S::tile_columns]) const {
    a.team.team_barrier();
    each_slot([&](int slot, int s) {
      if (row_of(slot) < rows && column_of(slot) < columns) accumulate(slot, depth, c[s]);
    });
    a.team.team_barrier();
  }

 private:
  struct alignas(16) Four {
    float values[4];
  };
  TESSEREC_FUNCTION static int row_of(int slot) { return slot / S::slot_columns * S::tile_rows; }
  TESSEREC_FUNCTION static int column_of(int slot) { return slot % S::slot_columns * 4; }

  /// Computes c[r][i] = fma(a, b, c[r][i]) for each of the `depth` staged depths in order.
  TESSEREC_FUNCTION void accumulate(int slot, int depth, float (&c)[S::tile_rows][S::tile_columns]) const {
    const float* const rows = a.to + row_of(slot);
    const float* const columns = b.to + column_of(slot);
    if (depth == S::depth) {
      TESSEREC_UNROLL
      for (int k = 0; k < S::depth; ++k) step(rows + k * S::pitch_a, columns + k * S::pitch_b, c);
    } else {
      for (int k = 0; k < depth; ++k) step(rows + k * S::pitch_a, columns + k * S::pitch_b, c);
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
        c[r][i] = std::fma(rows[r / 4].values[r % 4], columns[i / 4].values[i % 4], c[r][i]);
    }
  }
};

}  // namespace tesserec::products
