// SPDX-License-Identifier: Apache-2.0
/// Team bodies of device products. Each team computes one tile.
#pragma once

#include "device_tiles.hpp"
#include <tesserec/products/device_products.hpp>

namespace tesserec::products {

/// Direction of the depth of b: along the rows of w for y = x w^T, down its columns for dx = dy w.
enum class Depth { along, down };

/// Product c [rows, columns] = start + a b.
template <Depth b_depth>
struct TiledProduct {
  Index rows, columns, depth;
  Rows<const float> a;  // [rows, depth]
  Rows<const float> b;  // weight, [columns, depth] or, with Depth::down, [depth, columns]
  const float* start;   // [columns]; null = +0
  bool relu;
  Rows<const float> mask;  // [rows, columns]; null = no mask
  Rows<float> c;
};

template <class S, Depth b_depth>
struct ProductBody {
  TiledProduct<b_depth> p;
  Index column_tiles;

  template <class Team>
  TESSEREC_FUNCTION void operator()(const Team& team) const {
    const Index row = team.league_rank() / column_tiles * S::rows,
                column = team.league_rank() % column_tiles * S::columns;
    const Index rows = p.rows - row, columns = p.columns - column;  // from this tile on
    const DeviceTile<S, Team> tile(team);
    float c[S::slots_each][S::tile_rows][S::tile_columns];
    tile.each_slot([&](int slot, int s) {
      tile.clear(c[s]);
      if (p.start != nullptr)
        tile.each_element(slot, rows, columns, c[s], [&](int, int i, float& sum) { sum = p.start[column + i]; });
    });
    const Rows<const float> a{p.a[row], p.a.width, p.a.stride};
    for (Index first = 0; first < p.depth; first += S::depth) {
      const int depth = int(p.depth - first < S::depth ? p.depth - first : Index(S::depth));
      tile.a.along(a, rows, first, depth);
      if constexpr (b_depth == Depth::along)
        tile.b.along({p.b[column], p.b.width, p.b.stride}, columns, first, depth);
      else
        tile.b.down({p.b.data + column, p.b.width, p.b.stride}, columns, first, depth);
      tile.accumulate_staged(rows, columns, depth, c);
    }
    tile.each_slot([&](int slot, int s) {
      tile.each_element(slot, rows, columns, c[s], [&](int r, int i, float& sum) {
        float y = sum;
        if (p.relu && y < 0.0f) y = 0.0f;
        if (p.mask.data != nullptr && !(p.mask[row + r][column + i] > 0.0f)) y = 0.0f;
        p.c[row + r][column + i] = y;
      });
    });
  }
};

/// Body for one tile of one lane's weight gradient, which adds the results of the lane's pieces in order.
template <class S>
struct WeightGradientBody {
  DeviceProducts::WeightGradient p;
  Index out_tiles, in_tiles;

  template <class Team>
  TESSEREC_FUNCTION void operator()(const Team& team) const {
    const Index tile_of_lane = team.league_rank() % (out_tiles * in_tiles);
    const Index lane = team.league_rank() / (out_tiles * in_tiles);
    const Index out = tile_of_lane / in_tiles * S::rows, in = tile_of_lane % in_tiles * S::columns;
    const Index outs = p.dy.width - out, ins = p.x.width - in;
    const DeviceTile<S, Team> tile(team);
    float sum[S::slots_each][S::tile_rows][S::tile_columns], c[S::slots_each][S::tile_rows][S::tile_columns];
    tile.each_slot([&](int, int s) { tile.clear(sum[s]); });
    const Rows<const float> dy{p.dy.data + out, outs, p.dy.stride}, x{p.x.data + in, ins, p.x.stride};
    const Index begin = p.pieces.of_lane[lane], end = p.pieces.of_lane[lane + 1];
    for (Index piece = begin; piece < end; ++piece) {
      tile.each_slot([&](int, int s) { tile.clear(c[s]); });
      const Range rows{p.pieces.rows[piece], p.pieces.rows[piece + 1]};
      for (Index first = rows.begin; first < rows.end; first += S::depth) {
        const int depth = int(rows.end - first < S::depth ? rows.end - first : Index(S::depth));
        tile.a.down(dy, outs, first, depth);
        tile.b.down(x, ins, first, depth);
        tile.accumulate_staged(outs, ins, depth, c);
      }
      tile.each_slot([&](int, int s) {
        TESSEREC_UNROLL
        for (int r = 0; r < S::tile_rows; ++r) {
          TESSEREC_UNROLL
          for (int i = 0; i < S::tile_columns; ++i)
            sum[s][r][i] = piece == begin ? c[s][r][i] : sum[s][r][i] + c[s][r][i];
        }
      });
    }
    float* const to = p.weight + lane * p.stride;
    tile.each_slot([&](int slot, int s) {
      tile.each_element(slot, outs, ins, sum[s],
                        [&](int o, int i, float& finished) { to[(out + o) * p.x.width + in + i] = finished; });
    });
  }
};

}  // namespace tesserec::products
