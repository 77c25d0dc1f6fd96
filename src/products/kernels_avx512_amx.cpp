// SPDX-License-Identifier: Apache-2.0
// Built for AVX-512 F, BW and VNNI and AMX-INT8 on x86-64 (src/CMakeLists.txt). Tiles of AMX add up products of codes
// (Intel's Software Developer's Manual, volume 2, TDPBUSD). VDPBF16PS is left out, since processors with AMX run it at
// a quarter of the rate of an fma.
#include "kernels.hpp"

#ifdef __AMX_INT8__
#include <cstdint>

#include "avx512_vnni.hpp"
#include "kernels_of.hpp"
#include "two_fma.hpp"

namespace tesserec::products {
namespace {

class AmxProduct {
  using Finish = CodedFinish<Avx512Vnni>;
  static constexpr Index side = 16,
                         width = Tiles<Avx512Vnni>::width;  // rows or words of a tile; a panel is two tiles wide
  static constexpr int stride = int(width * sizeof(float));

  /// Operand of LDTILECFG.
  struct alignas(64) Shapes {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {};
    std::uint8_t rows[16] = {};
  };

  /// Words of a panel of b whose depth is filled up with zeros to whole tiles.
  struct Panel {
    Panel(const Product& p, Index panel) : whole(p.depth / side), words(p.b + panel * width * p.depth) {
      const Index rest = p.depth % side * width;
      for (Index i = 0; i < rest; ++i) last[i] = words[whole * side * width + i];
      if (rest > 0)
        for (Index i = rest; i < side * width; ++i) last[i] = 0.0f;
      steps = whole + (rest > 0 ? 1 : 0);
    }
    const float* step(Index s) const { return s < whole ? words + s * side * width : last; }

    Index whole, steps;
    const float* words;
    alignas(64) float last[side * width];
  };

  static Index least(Index a, Index b) { return a < b ? a : b; }

  /// Returns the words of a in a step's tile from `row` on. The last step may read padding, which zeros of b meet.
  static TESSEREC_INLINE const float* a_of(const Product& p, Index row, Index step) {
    return p.a + ((step / 2 * p.a_rows + row) * width + step % 2 * side);
  }

  /// Computes the sums of one tile of rows, [rows][width].
  template <int H>
  static void one_tile(const Product& p, const Panel& b, Index row, float* sums) {
    _tile_zero(0);
    _tile_zero(1);
    for (Index s = 0; s < b.steps; ++s) {
      _tile_loadd(4, a_of(p, row, s), stride);
      _tile_loadd(6, b.step(s), stride);
      _tile_dpbusd(0, 4, 6);
      if constexpr (H == 2) {
        _tile_loadd(7, b.step(s) + side, stride);
        _tile_dpbusd(1, 4, 7);
      }
    }
    _tile_stored(0, sums, stride);
    if constexpr (H == 2) _tile_stored(1, sums + side, stride);
  }
  /// Computes the sums of two tiles of rows, [2][16][width].
  template <int H>
  static void two_tiles(const Product& p, const Panel& b, Index row, Index second, float* sums) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (Index s = 0; s < b.steps; ++s) {
      _tile_loadd(4, a_of(p, row, s), stride);
      _tile_loadd(6, b.step(s), stride);
      _tile_dpbusd(0, 4, 6);
      _tile_loadd(5, a_of(p, second, s), stride);
      _tile_dpbusd(2, 5, 6);
      if constexpr (H == 2) {
        _tile_loadd(7, b.step(s) + side, stride);
        _tile_dpbusd(1, 4, 7);
        _tile_dpbusd(3, 5, 7);
      }
    }
    float* const below = sums + side * width;
    _tile_stored(0, sums, stride);
    _tile_stored(2, below, stride);
    if constexpr (H == 2) {
      _tile_stored(1, sums + side, stride);
      _tile_stored(3, below + side, stride);
    }
  }

  /// Makes y of sums, [rows][width], in rows [row, row + rows) of one panel.
  template <int H>
  static void finish_sums(const Product& p, Index panel, Index row, Index rows, const float* sums) {
    Finish finish(p, panel, row);
    for (Index r = 0; r < rows; ++r, sums += width) {
      __m512 c[H];
      for (int h = 0; h < H; ++h) c[h] = Avx512Vnni::load(sums + h * side);
      finish.row<H>(c);
    }
  }

  /// `tile_rows`: 16, or all rows where there are less.
  template <int H>
  static void panel_of(const Product& p, Index panel, Index tile_rows) {
    const Panel b(p, panel);
    alignas(64) float sums[2 * side * width];
    const Index last = p.rows - tile_rows;  // where the last tile begins; it may overlap the one before
    for (Index row = 0; row < p.rows; row += 2 * side) {
      const Index first = least(row, last), second = least(row + side, last);
      if (first == second) {
        one_tile<H>(p, b, first, sums);
      } else {
        two_tiles<H>(p, b, first, second, sums);
        finish_sums<H>(p, panel, second, side, sums + side * width);
      }
      finish_sums<H>(p, panel, first, tile_rows, sums);
    }
  }
  static void configure(Index tile_rows) {
    Shapes shapes;
    for (int t = 0; t < 8; ++t) {
      shapes.rows[t] = std::uint8_t(t < 6 ? tile_rows : side);
      shapes.row_bytes[t] = side * sizeof(float);
    }
    _tile_loadconfig(&shapes);
  }

 public:
  static void product(const Product& p) {
    const Index tile_rows = least(p.rows, side);
    configure(tile_rows);
    Finish::start_ranges(p);
    for (Index column = 0, panel = 0; column < p.columns; column += width, ++panel)
      if (p.columns - column > side)
        panel_of<2>(p, panel, tile_rows);
      else
        panel_of<1>(p, panel, tile_rows);
    _tile_release();
  }
};

constexpr KernelSet with_tiles(KernelSet set) {
  set.int8_product = AmxProduct::product;
  return set;
}

}  // namespace

constinit const KernelSet avx512_amx_kernels =
    with_tiles(kernels_of<Avx512, TwoFma<Avx512, 12>, Avx512Vnni>("avx512_amx"));

}  // namespace tesserec::products
#endif
