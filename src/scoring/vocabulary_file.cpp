// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <utility>
#include <vector>

#include "hash_slots.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/raw/feature_form.hpp>
#include <tesserec/scoring/vocabulary_file.hpp>

namespace tesserec::scoring {
namespace {

Index offset_at(const std::byte* offsets, Index id) {
  Index offset;
  std::memcpy(&offset, offsets + id * Index{sizeof offset}, sizeof offset);
  return offset;
}

}  // namespace

Index vocabulary_slots(Index rows) { return slots_of(rows - 1); }

Index vocabulary_head_bytes(Index rows) { return 8 * (vocabulary_slots(rows) + rows + 1); }

std::vector<std::uint64_t> vocabulary_table(std::span<const Index> offsets, const char* tokens) {
  const Index rows = std::ssize(offsets) - 1;
  std::vector<std::uint64_t> table(std::size_t(vocabulary_slots(rows)), 0);
  for (Index id = 1; id < rows; ++id) {
    const std::uint64_t hash = raw::token_hash({tokens + offsets[id], std::size_t(offsets[id + 1] - offsets[id])});
    insert_slot(table, hash, id);
  }
  return table;
}

VocabularyFile::VocabularyFile(const std::string& path, Index rows, Index bytes)
    : path_(path),
      rows_(rows),
      slots_(vocabulary_slots(rows)),
      token_bytes_(bytes - vocabulary_head_bytes(rows)),
      file_(std::in_place, path, bytes),
      bytes_(file_->data()) {
  if (token_bytes_ < 0) fail(path, " has ", bytes, " bytes, too few for ", rows, " ids; export the model again");
}

VocabularyFile::VocabularyFile(const std::string& path, std::span<const Index> offsets, const char* tokens)
    : path_(path), rows_(std::ssize(offsets) - 1), slots_(vocabulary_slots(rows_)), token_bytes_(offsets.back()) {
  const std::vector<std::uint64_t> table = vocabulary_table(offsets, tokens);
  owned_.resize(std::size_t(vocabulary_head_bytes(rows_) + token_bytes_));
  std::byte* to = owned_.data();
  const auto append = [&](const void* from, std::size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    to += size;
  };
  append(table.data(), table.size() * sizeof(std::uint64_t));
  append(offsets.data(), offsets.size_bytes());
  append(tokens, std::size_t(token_bytes_));
  bytes_ = owned_.data();
}

Index VocabularyFile::id(std::string_view token) const {
  const std::span slots(reinterpret_cast<const std::uint64_t*>(bytes_), std::size_t(slots_));
  const std::byte* const offsets = bytes_ + 8 * slots_;
  const char* const tokens = reinterpret_cast<const char*>(offsets + 8 * (rows_ + 1));
  const Index at = find_slot(slots, raw::token_hash(token), [&](Index id) {
    const Index begin = id < rows_ ? offset_at(offsets, id) : -1;
    const Index end = id < rows_ ? offset_at(offsets, id + 1) : -1;
    if (begin < 0 || end < begin || end > token_bytes_)
      fail(path_, " is damaged: id ", id, " has no token; export the model again");
    return token == std::string_view(tokens + begin, std::size_t(end - begin));
  });
  return at < 0 ? 0 : slot_number(slots[std::size_t(at)]);
}

}  // namespace tesserec::scoring
