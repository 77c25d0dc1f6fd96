// SPDX-License-Identifier: Apache-2.0
// TOML parsing, the only file that includes toml++. It has no device code, because nvcc cannot parse toml++.
#include <algorithm>

#include <toml++/toml.h>

#include <tesserec/core/error.hpp>
#include <tesserec/schema/suggest.hpp>
#include <tesserec/schema/value.hpp>

namespace tesserec::schema {
namespace {

constexpr int max_depth = 24;

using Positioned = std::pair<toml::source_position, Entry>;

Value convert(const toml::node& node, const std::string& name, std::uint32_t line, int depth) {
  if (depth > max_depth) fail(name, ":", line, ": blocks are nested more than ", max_depth, " levels deep");
  Value value;
  value.where = name + ":" + std::to_string(line);
  if (const auto* table = node.as_table()) {
    std::vector<Positioned> entries;
    for (auto&& [key, child] : *table) {
      toml::source_position at = key.source().begin;
      if (at.line == 0) at = child.source().begin;
      if (at.line == 0) at.line = line;
      entries.push_back({at, Entry{std::string(key.str()), convert(child, name, at.line, depth + 1)}});
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Positioned& a, const Positioned& b) { return a.first < b.first; });
    for (Positioned& entry : entries) value.table.push_back(std::move(entry.second));
  } else if (const auto* list = node.as_array()) {
    value.kind = Kind::list;
    for (const toml::node& child : *list)
      value.list.push_back(
          convert(child, name, child.source().begin.line ? child.source().begin.line : line, depth + 1));
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = Kind::boolean;
    value.boolean = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = Kind::integer;
    value.integer = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = Kind::number;
    value.number = number->get();
  } else if (const auto* text = node.as_string()) {
    value.kind = Kind::text;
    value.text = text->get();
  } else {
    value.kind = Kind::other;
  }
  return value;
}

// Refuses long dotted keys, because toml++ recurses once per dot and could exhaust the stack.
void refuse_long_dotted_keys(const std::string& text, const std::string& name) {
  int dots = 0, line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    const bool plain = c == '.' || c == ' ' || c == '\t' || c == '_' || c == '-' || c == '"' || c == '\'' ||
                       std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (c == '.') ++dots;
    if (!plain) dots = 0;
    if (dots > 1000) fail(name, ":", line, ": the key has more than 1000 parts");
  }
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Splits a path like plan.tables."a.b".kernel at the dots outside quotes.
std::vector<std::string> split(const std::string& path, const std::string& where) {
  std::vector<std::string> words(1);
  bool in_quotes = false;
  for (const char c : path) {
    if (c == '"') {
      in_quotes = !in_quotes;
    } else if (c == '.' && !in_quotes) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (in_quotes) fail(where, ": a quote is not closed in ", path);
  for (std::string& word : words)
    if ((word = trimmed(word)).empty()) fail(where, ": \"", path, "\" is not a key; write block.key=value");
  if (words.size() > 16) fail(where, ": the key has more than 16 parts");
  return words;
}

void place(Value& value, const std::string& where) {
  value.where = where;
  for (Value& element : value.list) place(element, where);
  for (Entry& entry : value.table) place(entry.value, where);
}

// Reads a TOML value. Anything that is not valid TOML, and does not begin like a list, table or string, is plain text.
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
    const bool bare = text[0] == '[' && text.find_first_of("\"'") == std::string::npos &&
                      std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    const std::string hint = bare ? "; texts in a list need quotes, as in 'block.key=[\"a\", \"b\"]'" : "";
    fail(where, ": ", text, " is ", reason == std::string::npos ? "not valid TOML" : message.substr(reason), hint);
  }
  place(value, where);
  if (value.kind != Kind::text) value.raw = text;
  return value;
}

bool is_index(const std::string& text) {
  return !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns the element of a list that `word` names, by its key `name` or else by its index.
Value& element(Value& list, const std::string& word, const std::string& prefix, const std::string& where) {
  std::vector<std::string> names;
  for (Value& candidate : list.list) {
    const Value* name = candidate.find("name");
    if (name == nullptr || name->kind != Kind::text) continue;
    if (name->text == word) return candidate;
    names.push_back(name->text);
  }
  if (is_index(word) && std::stoul(word) < list.list.size()) return list.list[std::stoul(word)];
  if (is_index(word)) fail(where, ": ", prefix, " has ", list.list.size(), " entries, so there is no entry ", word);
  const std::string near = nearest(word, names);
  fail(where, ": ", prefix, " has no \"", word, "\"",
       near.empty() ? "" : "; did you mean " + prefix + "." + near + "?");
}

void refuse_absent_list(const std::string& path, const std::string& where) {
  if (path == "table" || path == "preprocess.column" || path == "preprocess.join" || path == "preprocess.sequence" ||
      path == "model.layer" || path == "schedule.stages")
    fail(where, ": the deck has no [[", path, "]], so none of its keys can be set");
}

}  // namespace

Value parse_toml(const std::string& text, const std::string& name) {
  if (text.size() >= 2 && ((text[0] == '\xff' && text[1] == '\xfe') || (text[0] == '\xfe' && text[1] == '\xff')))
    fail(name, ":1: the deck is UTF-16; save it as UTF-8");
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos)
    fail(name, ":", 1 + std::count(text.begin(), text.begin() + nul, '\n'),
         ": the deck holds a NUL byte; it must be UTF-8 text");
  if (text.size() > largest_deck) fail(name, ": the file is larger than 1 MiB, so it is not a deck");
  refuse_long_dotted_keys(text, name);
  try {
    const toml::table table = toml::parse(text, name);
    return convert(table, name, 1, 0);
  } catch (const toml::parse_error& error) {
    fail(name, ":", error.source().begin.line, ": not valid TOML: ", error.description());
  }
}

void apply_override(Value& root, const std::string& text, const std::string& where) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) fail(where, ": \"", text, "\" has no '='; write block.key=value");
  const std::vector<std::string> words = split(text.substr(0, equals), where);
  const std::string value_text = trimmed(text.substr(equals + 1));
  if (value_text.empty())
    fail(where, ": ", trimmed(text.substr(0, equals)), " has no value; write block.key=value, and \"\" for empty text");
  if (value_text.find('\0') != std::string::npos) fail(where, ": the value holds a NUL byte");

  Value* node = &root;
  std::string prefix;
  for (const std::string& word : words) {
    Value* next = nullptr;
    if (node->kind == Kind::list) {
      next = &element(*node, word, prefix, where);
    } else if (node->kind == Kind::table) {
      next = node->find(word);
      if (next == nullptr) {
        if (!prefix.empty()) refuse_absent_list(prefix, where);
        next = &node->table.emplace_back(Entry{word, Value(Kind::table, where)}).value;
      }
    } else {
      fail(where, ": ", prefix, " is ", node->words(), ", so it has no key ", word);
    }
    node = next;
    prefix += (prefix.empty() ? "" : ".") + word;
  }
  *node = parse_value(value_text, where);
}

}  // namespace tesserec::schema
