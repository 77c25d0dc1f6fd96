// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/raw/feature_form.hpp>
#include <tesserec/scoring/vocabulary_file.hpp>

namespace tesserec::scoring {
namespace {

// A slot has an id in its lower 32 bits, and above them the upper half of the token's hash, so that a token that is not
// there costs no look at another one's text. 0 is an empty slot, because id 0 has no token.
constexpr std::uint64_t id_mask = 0xFFFFFFFF;

template <class T>
T number_at(const std::byte* bytes, Index index) {
  T number;
  std::memcpy(&number, bytes + index * Index{sizeof number}, sizeof number);
  return number;
}

}  // namespace

Index vocabulary_slots(Index rows) { return Index(std::bit_ceil(std::uint64_t(rows - 1) * 3 / 2 + 1)); }

Index vocabulary_head_bytes(Index rows) { return 8 * (vocabulary_slots(rows) + rows + 1); }

std::vector<std::uint64_t> vocabulary_table(std::span<const Index> offsets, const char* tokens) {
  const Index rows = std::ssize(offsets) - 1;
  std::vector<std::uint64_t> table(std::size_t(vocabulary_slots(rows)), 0);
  for (Index id = 1; id < rows; ++id) {
    const std::uint64_t hash = raw::token_hash({tokens + offsets[id], std::size_t(offsets[id + 1] - offsets[id])});
    std::uint64_t slot = hash & (table.size() - 1);
    while (table[slot] != 0) slot = (slot + 1) & (table.size() - 1);
    table[slot] = (hash & ~id_mask) | std::uint64_t(id);
  }
  return table;
}

VocabularyFile::VocabularyFile(const std::string& path, Index rows, Index bytes)
    : path_(path),
      rows_(rows),
      slots_(std::uint64_t(vocabulary_slots(rows))),
      token_bytes_(bytes - vocabulary_head_bytes(rows)),
      file_(path, bytes) {
  if (token_bytes_ < 0) fail(path, " has ", bytes, " bytes, too few for ", rows, " ids; export the model again");
}

Index VocabularyFile::id(std::string_view token) const {
  const std::byte* const offsets = file_.data() + 8 * slots_;
  const char* const tokens = reinterpret_cast<const char*>(offsets + 8 * (rows_ + 1));
  const std::uint64_t hash = raw::token_hash(token);
  std::uint64_t slot = hash & (slots_ - 1);
  for (std::uint64_t looked = 0; looked < slots_; ++looked, slot = (slot + 1) & (slots_ - 1)) {
    const auto entry = number_at<std::uint64_t>(file_.data(), Index(slot));
    if (entry == 0) return 0;
    if (((entry ^ hash) & ~id_mask) != 0) continue;
    const auto id = Index(entry & id_mask);
    const Index begin = id < rows_ ? number_at<Index>(offsets, id) : -1;
    const Index end = id < rows_ ? number_at<Index>(offsets, id + 1) : -1;
    if (begin < 0 || end < begin || end > token_bytes_)
      fail(path_, " is damaged: id ", id, " has no token; export the model again");
    if (token == std::string_view(tokens + begin, std::size_t(end - begin))) return id;
  }
  return 0;
}

}  // namespace tesserec::scoring
