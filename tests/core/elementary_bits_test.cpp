// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "digest.hpp"
#include "elementary_loops.hpp"
#include <tesserec/core/random.hpp>

namespace elementary = tesserec::elementary;
namespace loops = tesserec::loops;
using tesserec::Index;
using tesserec::test::digest;

namespace {

/// Returns values evenly in [-10, 10), values with exponents from -40 to 12, and values of arbitrary bits.
template <class T>
std::vector<T> arguments() {
  const tesserec::Random random(23, tesserec::Purpose::test, 41);
  std::vector<T> x;
  for (Index i = 0; i < 10000; ++i) {
    const auto q = random.quad(i, 0);
    const double u = static_cast<double>(q[0]) * 0x1p-32;
    x.push_back(static_cast<T>(20 * u - 10));
    x.push_back(static_cast<T>(std::ldexp(u - 0.5, static_cast<int>(q[1] % 53) - 40)));
    x.push_back(elementary::parts::number<T>(
        static_cast<typename elementary::Numbers<T>::Bits>(std::uint64_t{q[2]} << 32 | q[3])));
  }
  return x;
}

template <class T>
std::uint64_t digest_of(loops::Loop<T> loop) {
  const std::vector<T> x = arguments<T>();
  std::vector<T> y(x.size());
  loop(x.data(), y.data(), std::ssize(x));
  return digest(y);
}

template <class T>
std::vector<std::uint64_t> digests(const std::vector<loops::Loop<T>>& set) {
  std::vector<std::uint64_t> list;
  for (const loops::Loop<T> loop : set) list.push_back(digest_of(loop));
  return list;
}

}  // namespace

// Different bits here change the bits of every model. The cause is a compiler or processor that reorders or fuses
// operations.
TEST_CASE("elementary: functions return the recorded bits") {
  const std::vector<std::uint64_t> of_double = {0x38dcdb99368cd7bb, 0x4d72b54cd56e5b3f, 0x4fc9884701a44c75,
                                                0xf81d814bdadb1ce0, 0xb3ae49e4e644a754, 0x08b5c0a4f8f0ef14,
                                                0xb3528aa64693ed87, 0x474d707470e79455, 0x02c2d3b794942eb8},
                                   of_float = {0x6a701f9ad5b7a848, 0xcded43d193fdc459, 0x8eb21ad4914ef735,
                                               0xa53c7b2cf5151415, 0xddd1522c9edd92b6, 0x8be3ca537b76fa47,
                                               0x8507e88b1e58f84e, 0xb04a35ee547e9f55, 0x213c0671fabc05a5};
  for (std::size_t f = 0; f < loops::names.size(); ++f) {
    CAPTURE(loops::names[f]);
    CHECK(digest_of(loops::plain::all<double>()[f]) == of_double[f]);
    CHECK(digest_of(loops::plain::all<float>()[f]) == of_float[f]);
  }
}

TEST_CASE("elementary: functions return the same bits on every instruction set") {
  const auto of_double = digests(loops::plain::all<double>()), of_float = digests(loops::plain::all<float>());
  if (loops::has_avx2()) {
    CHECK(digests(loops::avx2::all<double>()) == of_double);
    CHECK(digests(loops::avx2::all<float>()) == of_float);
  } else {
    WARN("not compared: this machine or compiler has no AVX2");
  }
  if (loops::has_avx512()) {
    CHECK(digests(loops::avx512::all<double>()) == of_double);
    CHECK(digests(loops::avx512::all<float>()) == of_float);
  } else {
    WARN("not compared: this machine or compiler has no AVX-512");
  }
}
