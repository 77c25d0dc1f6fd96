// SPDX-License-Identifier: Apache-2.0
#include "override.hpp"

#include "suggest.hpp"
#include "toml_file.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::deck {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// "plan.tables.\"a.b\".kernel" -> its parts
std::vector<std::string> split(const std::string& path, const std::string& where) {
  std::vector<std::string> parts(1);
  bool in_quotes = false;
  for (const char c : path) {
    if (c == '"') {
      in_quotes = !in_quotes;
    } else if (c == '.' && !in_quotes) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (in_quotes) fail(where, ": a quote is not closed in ", path);
  for (std::string& part : parts)
    if ((part = trimmed(part)).empty()) fail(where, ": \"", path, "\" is not a key; write block.key=value");
  if (parts.size() > 16) fail(where, ": the key has more than 16 parts");
  return parts;
}

void place(Value& value, const std::string& where) {
  value.where = where;
  for (Value& element : value.list) place(element, where);
  for (Entry& entry : value.table) place(entry.value, where);
}

// A TOML value; whatever is none, and does not begin like one, is text.
Value parse_value(const std::string& text, const std::string& where) {
  Value value(Kind::text, where);
  value.text = text;
  try {
    const Value parsed = parse_toml("value = " + text, where);
    if (parsed.table.size() == 1) value = parsed.table.front().value;
  } catch (const Error& error) {
    if (text.find_first_of("[{\"'") != 0) return value;
    const std::string message = error.what();
    const std::size_t reason = message.find("not valid TOML");
    fail(where, ": ", text, " is ", reason == std::string::npos ? "not valid TOML" : message.substr(reason));
  }
  place(value, where);
  if (value.kind != Kind::text) value.raw = text;
  return value;
}

bool is_index(const std::string& text) {
  return !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
}

// The element of a list that `part` names: by its key `name`, else by its place.
Value& element(Value& list, const std::string& part, const std::string& so_far, const std::string& where) {
  std::vector<std::string> names;
  for (Value& candidate : list.list) {
    const Value* name = candidate.find("name");
    if (name == nullptr || name->kind != Kind::text) continue;
    if (name->text == part) return candidate;
    names.push_back(name->text);
  }
  if (is_index(part) && std::stoul(part) < list.list.size()) return list.list[std::stoul(part)];
  if (is_index(part)) fail(where, ": ", so_far, " has ", list.list.size(), " entries, so no entry ", part);
  const std::string near = nearest(part, names);
  fail(where, ": ", so_far, " has no \"", part, "\"",
       near.empty() ? "" : "; did you mean " + so_far + "." + near + "?");
}

void refuse_absent_list(const std::string& path, const std::string& where) {
  if (path == "table" || path == "preprocess.column" || path == "model.layer" || path == "schedule.stages")
    fail(where, ": the deck has no [[", path, "]], so none of its keys can be set");
}

}  // namespace

void apply_override(Value& root, const std::string& text, const std::string& where) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) fail(where, ": \"", text, "\" has no '='; write block.key=value");
  const std::vector<std::string> parts = split(text.substr(0, equals), where);
  const std::string value_text = trimmed(text.substr(equals + 1));
  if (value_text.empty())
    fail(where, ": ", parts.back(), " has no value; write block.key=value, and \"\" for empty text");
  if (value_text.find('\0') != std::string::npos) fail(where, ": the value holds a NUL byte");

  Value* node = &root;
  std::string so_far;
  for (const std::string& part : parts) {
    Value* next = nullptr;
    if (node->kind == Kind::list) {
      next = &element(*node, part, so_far, where);
    } else if (node->kind == Kind::table) {
      next = node->find(part);
      if (next == nullptr) {
        if (!so_far.empty()) refuse_absent_list(so_far, where);
        next = &node->table.emplace_back(Entry{part, Value(Kind::table, where)}).value;
      }
    } else {
      fail(where, ": ", so_far, " is ", node->words(), " and has no ", part);
    }
    node = next;
    so_far += (so_far.empty() ? "" : ".") + part;
  }
  *node = parse_value(value_text, where);
}

}  // namespace tesserec::deck
