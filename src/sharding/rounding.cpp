// SPDX-License-Identifier: Apache-2.0
#include "rounding.hpp"

#include <algorithm>

#include <tesserec/core/short_floats.hpp>

namespace tesserec::sharding {
namespace {

struct Bf16 {
  TESSEREC_FUNCTION std::uint16_t in(float v) const { return to_bf16(v); }
  TESSEREC_FUNCTION float out(std::uint16_t bits) const { return from_bf16(bits); }
};
struct Fp16 {
  float scale, inverse;
  TESSEREC_FUNCTION std::uint16_t in(float v) const { return to_fp16(v * scale); }
  TESSEREC_FUNCTION float out(std::uint16_t bits) const { return from_fp16(bits) * inverse; }
};

template <class Type>
struct Round {
  Type type;
  float* numbers;
  TESSEREC_FUNCTION void operator()(Index i) const { numbers[i] = type.out(type.in(numbers[i])); }
};
template <class Type>
struct Pack {
  Type type;
  const float* from;
  std::uint16_t* to;
  TESSEREC_FUNCTION void operator()(Index i) const { to[i] = type.in(from[i]); }
};
template <class Type>
struct Unpack {
  Type type;
  const std::uint16_t* from;
  float* to;
  TESSEREC_FUNCTION void operator()(Index i) const { to[i] = type.out(from[i]); }
};

template <class Body>
void over(const Exec& exec, Place place, const char* label, Index n, const Body& body) {
  if (place == Place::device) return over_numbers(device_of(exec), label, n, body);
  constexpr Index per_task = 1 << 14;
  parallel_for(exec, label, (n + per_task - 1) / per_task,
               [&](Index task) { run_numbers(task * per_task, std::min(n, (task + 1) * per_task), body); });
}

}  // namespace

template <class Launch>
void Rounding::with_type(const Launch& launch) const {
  if (type_ == NumberType::bf16)
    launch(Bf16());
  else
    launch(Fp16{scale_, 1.0f / scale_});
}

void Rounding::round(const Exec& exec, Place place, float* numbers, Index n) const {
  with_type([&](auto type) {
    over(exec, place, "tesserec::sharding::round", n, Round<decltype(type)>{type, numbers});
  });
}

void Rounding::pack(const Exec& exec, Place place, const float* from, std::uint16_t* to, Index n) const {
  with_type([&](auto type) { over(exec, place, "tesserec::sharding::pack", n, Pack<decltype(type)>{type, from, to}); });
}

void Rounding::unpack(const Exec& exec, Place place, const std::uint16_t* from, float* to, Index n) const {
  with_type([&](auto type) {
    over(exec, place, "tesserec::sharding::unpack", n, Unpack<decltype(type)>{type, from, to});
  });
}

}  // namespace tesserec::sharding
