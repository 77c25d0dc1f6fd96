// SPDX-License-Identifier: Apache-2.0
#include "src/sharding/rounding.hpp"

#include <cmath>

#include "catch.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using sharding::Rounding;

TEST_CASE("Rounding: scaled small gradients keep the precision of fp16 on hosts and devices") {
  const Exec exec;
  const Random random(9, Purpose::test);
  constexpr Index n = 1001;
  std::vector<float> numbers(n);
  for (Index i = 0; i < n; ++i) numbers[i] = std::ldexp(float(1.0 + random.uniform(0, i)), -24 - int(i % 4));
  for (const Place place : {Place::host, Place::device})
    for (const NumberType type : {NumberType::fp16, NumberType::bf16}) {
      const Rounding rounding(type, sharding::gradient_scale(60000));
      const PlacedVector<float> rounded(exec, place, "rounded", n), unpacked(exec, place, "unpacked", n);
      const PlacedVector<std::uint16_t> packed(exec, place, "packed", n);
      rounded.from_host(exec, numbers);
      rounding.pack(exec, place, rounded.data(), packed.data(), n);
      rounding.unpack(exec, place, packed.data(), unpacked.data(), n);
      rounding.round(exec, place, rounded.data(), n);
      const std::vector<float> found = rounded.to_host(exec);
      CHECK(unpacked.to_host(exec) == found);
      Index changed = 0;
      for (Index i = 0; i < n; ++i) {
        CHECK(std::abs(found[i] - numbers[i]) <= numbers[i] * (type == NumberType::fp16 ? 0x1p-11f : 0x1p-8f));
        changed += found[i] != numbers[i];
      }
      CHECK(changed > n / 2);
    }
  CHECK(sharding::gradient_scale(60000) == 65536.0f);
  CHECK(sharding::gradient_scale(65536) == 65536.0f);
}
