// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/number_type.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/embedding/pooling.hpp>

using namespace tesserec;

TEST_CASE("pool: bags of one id each are their rows with +0 for -0, beside bags of two ids as alone") {
  constexpr Index rows = 60, count = 40;
  const Random random(7, Purpose::test);
  for (const Index dim : {5, 16, 40})
    for (const NumberType format : {NumberType::fp32, NumberType::fp16, NumberType::bf16}) {
      std::vector<float> numbers(std::size_t(rows * dim));
      for (Index i = 0; i < rows * dim; ++i) numbers[i] = i % 3 == 0 ? -0.0f : float(random.below(64, i, 0)) - 32.0f;
      std::vector<std::uint16_t> narrow_numbers(numbers.size());
      if (format != NumberType::fp32) narrow(format, rows * dim, numbers.data(), narrow_numbers.data());
      const embedding::ShardRows shard{.block_of = embedding::BlockOf::by_rows(rows),
                                       .blocks = {0, embedding::block_count},
                                       .data = format == NumberType::fp32 ? static_cast<void*>(numbers.data())
                                                                          : static_cast<void*>(narrow_numbers.data()),
                                       .first_row = 0,
                                       .dim = dim,
                                       .format = format};
      std::vector<Index> offsets(count + 1), ids(count + 1);
      std::iota(offsets.begin(), offsets.end(), 1);
      for (Index i = 0; i < count; ++i) ids[i + 1] = random.below(rows, i, 1);
      const Index stride = dim + 3;
      const auto pooled = [&](Index sums_stride, Range range) {
        std::vector<float> out(std::size_t(count * stride), 99.0f);
        embedding::Bags bags{.count = count, .offsets = offsets.data(), .ids = ids.data()};
        bags.sums_stride = sums_stride;
        embedding::pool(shard, bags, {}, range, out.data());
        return out;
      };
      const auto is_row = [&](const std::vector<float>& out, Index at, Index bag) {
        for (Index c = 0; c < dim; ++c) {
          const float expected = numbers[ids[offsets[bag]] * dim + c] + 0.0f;
          if (std::memcmp(&out[at + c], &expected, sizeof expected) != 0) return false;
        }
        return true;
      };
      INFO("dim " << dim << ", format " << int(format));
      const std::vector<float> dense = pooled(0, {0, count}), some = pooled(stride, {7, 30});
      for (Index bag = 0; bag < count; ++bag) {
        CHECK(is_row(dense, bag * dim, bag));
        CHECK(is_row(some, bag * stride, bag) == (7 <= bag && bag < 30));
      }
      CHECK(some[10 * stride + dim] == 99.0f);
      offsets[11] = offsets[10];  // bag 10 is empty, bag 11 has two ids
      const std::vector<float> mixed = pooled(stride, {0, count});
      for (Index bag = 12; bag < count; ++bag) CHECK(is_row(mixed, bag * stride, bag));
      CHECK(mixed[10 * stride + 1] == 0.0f);
      CHECK(mixed[11 * stride + 1] == numbers[ids[11] * dim + 1] + numbers[ids[12] * dim + 1]);
    }
}
