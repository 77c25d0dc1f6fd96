// SPDX-License-Identifier: Apache-2.0
#include "crosses.hpp"

#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/raw/text_parts.hpp>

namespace tesserec::raw {

void Crosses::add(const Column& column, RowLayout& layout) {
  layout.definitions[column.name] = concat("cross ", join(column.cross, "/"));
  if (members_.empty()) first_cross_ = layout.features.size();
  std::vector<std::size_t>& members = members_.emplace_back();
  for (const std::string& name : column.cross) {
    const auto found = std::find(layout.features.begin(), layout.features.end(), name);
    members.push_back(std::size_t(found - layout.features.begin()));
    if (found == layout.features.end() || layout.forms[members.back()].bag)
      fail("preprocess.column ", column.name, ": cross names \"", name,
           "\", which is no category with one value; name such categories, or parts of times like when_hour");
  }
}

std::optional<std::string_view> Crosses::value(std::size_t c, Row& row) const {
  std::string& text = row.made[c];
  text.clear();
  for (const std::size_t member : members_[c]) {
    const std::size_t begin = member == 0 ? 0 : row.ends[member - 1];
    if (begin == row.ends[member] || !row.tokens[begin]) return std::nullopt;
    if (member != members_[c].front()) text += part_separator;
    if (member < first_cross_)
      append_part(*row.tokens[begin], text);
    else
      text += *row.tokens[begin];  // Its parts are escaped already.
  }
  return text;
}

}  // namespace tesserec::raw
