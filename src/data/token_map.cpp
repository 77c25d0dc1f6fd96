// SPDX-License-Identifier: Apache-2.0
#include "token_map.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

namespace tesserec::data {

std::uint64_t TokenMap::head_of(std::string_view token) {
  std::uint64_t head = 0;
  if (!token.empty()) std::memcpy(&head, token.data(), std::min(token.size(), sizeof head));
  return head;
}

std::size_t TokenMap::slot(std::string_view token, std::uint64_t head) const {
  const auto length = static_cast<Index>(token.size());
  const auto differs = [&](const Slot& slot) {
    return slot.head != head || slot.length != length ||
           (token.size() > sizeof head && this->token(slot.number) != token);
  };
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = std::hash<std::string_view>()(token) & mask;
  while (slots_[at].number >= 0 && differs(slots_[at])) at = (at + 1) & mask;
  return at;
}

Index TokenMap::find(std::string_view token) const {
  return slots_.empty() ? -1 : slots_[slot(token, head_of(token))].number;
}

Index TokenMap::insert(std::string_view token) {
  if (slots_.size() <= 2 * static_cast<std::size_t>(size())) grow();
  const std::uint64_t head = head_of(token);
  Slot& slot = slots_[this->slot(token, head)];
  if (slot.number >= 0) return slot.number;
  slot = {head, static_cast<Index>(token.size()), size()};
  bytes_.insert(bytes_.end(), token.begin(), token.end());
  offsets_.push_back(static_cast<Index>(bytes_.size()));
  return slot.number;
}

void TokenMap::grow() {
  slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), Slot());
  for (Index i = 0; i < size(); ++i) {
    const std::string_view text = token(i);
    const std::uint64_t head = head_of(text);
    slots_[slot(text, head)] = {head, static_cast<Index>(text.size()), i};
  }
}

}  // namespace tesserec::data
