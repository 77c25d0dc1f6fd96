// SPDX-License-Identifier: Apache-2.0
#include "src/products/panels.hpp"

#include <vector>

#include "catch.hpp"
#include "src/products/packing.hpp"
#include "src/products/plain_vector.hpp"

using namespace tesserec;
using namespace tesserec::products;

TEST_CASE("pack_rows: packs weights and their transpose with zeros as padding for every panel width") {
  struct Set {
    Index width;
    void (*pack_rows)(Index, Index, Index, const float*, float*, float*);
  };
  const KernelSet& best = kernels();
  for (const auto& [width, pack_rows] :
       {Set{best.width, best.fp32.pack_rows}, {32, Packing<PlainVector<16, 4>>::pack_rows}})
    for (const Index out : {1, 5, 16, 32, 33, 64})
      for (const Index in : {1, 13, 16, 17, 48, 70, 160}) {
        std::vector<float> w(static_cast<std::size_t>(out * in));
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i + 1);
        const Index outs = panel_count(out, width) * width, ins = panel_count(in, width) * width;
        std::vector<float> forward(static_cast<std::size_t>(outs * in), -1.0f), alone = forward;
        std::vector<float> backward(static_cast<std::size_t>(ins * out), -1.0f);
        for (Index p = 0; p < outs / width; ++p) {
          pack_rows(out, in, p, w.data(), forward.data(), backward.data());
          pack_rows(out, in, p, w.data(), alone.data(), nullptr);
        }
        INFO(out << " x " << in << ", width " << width);
        bool right = alone == forward;
        for (Index o = 0; o < outs; ++o)
          for (Index i = 0; i < in; ++i)
            right &= forward[(o / width * in + i) * width + o % width] == (o < out ? w[o * in + i] : 0.0f);
        for (Index o = 0; o < out; ++o)
          for (Index i = 0; i < ins; ++i)
            right &= backward[(i / width * out + o) * width + i % width] == (i < in ? w[o * in + i] : 0.0f);
        CHECK(right);
      }
}
