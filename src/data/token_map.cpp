// SPDX-License-Identifier: Apache-2.0
#include "token_map.hpp"

#include <functional>

namespace tesserec::data {

std::size_t TokenMap::slot(std::string_view token) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = std::hash<std::string_view>()(token) & mask;
  while (slots_[at] >= 0 && this->token(slots_[at]) != token) at = (at + 1) & mask;
  return at;
}

Index TokenMap::find(std::string_view token) const { return slots_.empty() ? -1 : slots_[slot(token)]; }

Index TokenMap::insert(std::string_view token) {
  if (slots_.size() <= 2 * static_cast<std::size_t>(size())) grow();
  Index& number = slots_[slot(token)];
  if (number >= 0) return number;
  number = size();
  bytes_.insert(bytes_.end(), token.begin(), token.end());
  offsets_.push_back(static_cast<Index>(bytes_.size()));
  return number;
}

void TokenMap::grow() {
  slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), -1);
  for (Index i = 0; i < size(); ++i) slots_[slot(token(i))] = i;
}

}  // namespace tesserec::data
