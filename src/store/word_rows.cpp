// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <tesserec/store/word_rows.hpp>

namespace tesserec::store {
namespace {

constexpr Index word_bits = 16;

}  // namespace

void WordRows::read(const Exec&, Range rows, float* to) const { std::copy_n(in_place(rows), rows.size() * ld(), to); }

void WordRows::write(const Exec&, Range rows, const float* from) {
  std::copy_n(from, rows.size() * ld(), in_place(rows));
}

void WordRows::put(Index row, Index first, Index count, std::uint64_t number) {
  for (Index i = 0; i < count; ++i)
    words_[row * ld() + first + i] = float(number >> i * word_bits & ((1u << word_bits) - 1));
}

std::uint64_t WordRows::get(Index row, Index first, Index count) const {
  std::uint64_t number = 0;
  for (Index i = 0; i < count; ++i) number |= std::uint64_t(words_[row * ld() + first + i]) << i * word_bits;
  return number;
}

void add_words(const std::string& name, Range own, Index all, std::shared_ptr<WordRows> words, bool owned,
               std::vector<StateItem>& items) {
  if (own.size() == 0) return;
  const Index columns = words->ld();
  items.push_back({name, all, columns, {own.begin, own.size(), 0, columns}, std::move(words), owned});
}

}  // namespace tesserec::store
