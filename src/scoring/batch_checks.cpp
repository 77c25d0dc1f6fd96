// SPDX-License-Identifier: Apache-2.0
#include "batch_checks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/served_model.hpp>

namespace tesserec::scoring {
namespace {

/// Returns the samples of an input, of which there is one if all share it.
Index samples_of(const ScoringBatch& batch, bool shared) {
  return shared ? std::min<Index>(1, batch.samples) : batch.samples;
}

// These loops have no exit, so that they run in vector registers. A wrong number is looked for afterwards.
TESSEREC_KERNEL bool are_finite(const float* numbers, Index n) {
  constexpr std::uint32_t exponent = 0x7f800000u;
  std::uint32_t wrong = 0;
  for (Index i = 0; i < n; ++i) wrong |= (std::bit_cast<std::uint32_t>(numbers[i]) & exponent) == exponent ? 1u : 0u;
  return wrong == 0;
}
TESSEREC_KERNEL bool are_ordered(const Index* offsets, Index n) {
  std::uint64_t wrong = 0;
  for (Index i = 0; i < n; ++i) wrong |= offsets[i + 1] < offsets[i] ? 1u : 0u;
  return wrong == 0;
}
TESSEREC_KERNEL bool are_below(const Index* ids, Index n, Index end) {
  std::uint64_t wrong = 0;
  for (Index i = 0; i < n; ++i) wrong |= std::uint64_t(ids[i]) >= std::uint64_t(end) ? 1u : 0u;
  return wrong == 0;
}

/// Returns the first number that is not finite, or n.
Index first_wrong(const float* numbers, Index n) {
  if (are_finite(numbers, n)) return n;
  return std::find_if_not(numbers, numbers + n, [](float v) { return std::isfinite(v); }) - numbers;
}

}  // namespace

void check_dense(const ScoringBatch& batch, Index columns) {
  if (columns > 0 && batch.samples > 0 && batch.dense == nullptr)
    fail("the model takes ", counted(columns, "dense feature"), ", but the batch has none; add them");
  const Index numbers = samples_of(batch, batch.shared_dense) * columns;
  if (const Index at = first_wrong(batch.dense, numbers); at < numbers)
    fail("sample ", batch.first + at / columns, ": dense feature ", at % columns,
         " is not finite; give the preprocessed number");
}

void check_bags(const ScoringBatch& batch, std::size_t feature, const embedding::EmbeddingBagConfig& table,
                const std::string& name) {
  const ScoredBags& bags = batch.sparse[feature];
  const Index samples = samples_of(batch, bags.shared);
  if (bags.offsets == nullptr) return;
  if (bags.offsets[0] < 0) fail("feature ", name, ": the first offset is ", bags.offsets[0], "; give 0 or more");
  if (!are_ordered(bags.offsets, samples)) {  // before any id is read, because a wrong offset lies anywhere
    Index s = 0;
    while (bags.offsets[s] <= bags.offsets[s + 1]) ++s;
    fail("feature ", name, ", sample ", batch.first + s, ": offset ", bags.offsets[s + 1], " follows ", bags.offsets[s],
         "; offsets must not decrease");
  }
  const Index begin = bags.offsets[0], end = bags.offsets[samples];
  if (!table.grows() && !are_below(bags.ids + begin, end - begin, table.ids())) {  // a growing table takes any id
    const Index at =
        std::find_if_not(bags.ids + begin, bags.ids + end, [&](Index i) { return table.takes(i); }) - bags.ids;
    const Index s = std::upper_bound(bags.offsets, bags.offsets + samples, at) - bags.offsets - 1;
    fail("feature ", name, ", sample ", batch.first + s, ": id ", bags.ids[at], " is outside table ", table.whole(),
         " of ", table.ids(), " rows");
  }
  if (!table.weighted || begin == end) return;
  if (bags.weights == nullptr)
    fail("table ", table.name, " is weighted, but the batch has no weights for feature \"", name, "\"; add weights");
  if (const Index at = first_wrong(bags.weights + begin, end - begin); begin + at < end)
    fail("feature ", name, ": weight ", begin + at, " (counted from 0) is not finite; give a number");
}

std::string not_finite_reason(const ServedModel& model, std::span<const float> scores) {
  const Index at = first_wrong(scores.data(), std::ssize(scores)), labels = model.label_count();
  if (at == std::ssize(scores)) return {};
  const std::string label = labels > 1 ? ", label " + model.labels()[std::size_t(at % labels)] : "";
  return concat("sample ", at / labels, label,
                ": the score is not finite; give smaller numbers, or look for damage with tesserec verify");
}

}  // namespace tesserec::scoring
