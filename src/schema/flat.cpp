// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/schema/flat.hpp>

namespace tesserec::schema {

void Flat::add_blocks(const Value& list, const std::string& path) {
  for (const Value& block : list.list) {
    const Value* name = block.find("name");
    const bool named = name != nullptr && name->kind == Kind::text && !name->text.empty();
    const std::string number = std::to_string(counts_[path]++);
    add(block, path + "." + (named ? name->text : number));
  }
}

void Flat::add(const Value& value, const std::string& path) {
  const bool blocks = value.kind == Kind::list && !value.list.empty() &&
                      std::all_of(value.list.begin(), value.list.end(),
                                  [](const Value& element) { return element.kind == Kind::table; });
  if (value.kind == Kind::table) {
    for (const Entry& entry : value.table) add(entry.value, path.empty() ? entry.key : path + "." + entry.key);
  } else if (blocks) {
    add_blocks(value, path);
  } else {
    std::string name = path;
    while (!names_.insert(name).second) name += " (again)";
    keys.push_back({name, value.kind == Kind::other && !value.raw.empty() ? value.raw : toml_text(value)});
  }
}

}  // namespace tesserec::schema
