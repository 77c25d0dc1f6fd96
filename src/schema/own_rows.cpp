// SPDX-License-Identifier: Apache-2.0
#include <tesserec/schema/own_rows.hpp>

namespace tesserec::schema {
namespace {

Integers integers_of(const OwnKey& key) {
  const auto clamped = [](double x) {
    if (x >= 0x1p63) return no_limit;
    return x <= -0x1p63 ? std::numeric_limits<Index>::min() : Index(x);
  };
  return {clamped(key.least), clamped(key.most)};
}
Numbers numbers_of(const OwnKey& key) { return {key.least, key.most}; }

/// Visitor that reads a value of the same type as a key's preset.
struct ReadOwn {
  const OwnKey& key;
  const Value& value;
  const std::string& path;

  OwnValue operator()(bool) const { return read_boolean(value, path); }
  OwnValue operator()(Index) const { return read_integer(value, path, integers_of(key)); }
  OwnValue operator()(double) const { return read_number(value, path, numbers_of(key)); }
  OwnValue operator()(const std::string&) const { return text_of(value, path); }
  OwnValue operator()(const std::vector<Index>&) const {
    std::vector<Index> all;
    read_list(value, path, {}, false, [&](const Value& element, const std::string& place) {
      all.push_back(read_integer(element, place, integers_of(key)));
    });
    return all;
  }
  OwnValue operator()(const std::vector<std::string>&) const {
    std::vector<std::string> all;
    read_list(value, path, {}, true,
              [&](const Value& element, const std::string& place) { all.push_back(text_of(element, place)); });
    return all;
  }

  std::string text_of(const Value& element, const std::string& place) const {
    return key.choices.empty() ? read_text(element, place, Text::path)
                               : key.choices[read_choice(element, place, key.choices)];
  }
};

struct WriteOwn {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(Index value) const { return std::to_string(value); }
  std::string operator()(double value) const { return shortest(value); }
  std::string operator()(const std::string& value) const { return quoted(value); }
  template <class T>
  std::string operator()(const std::vector<T>& values) const {
    return "[" + join(values, ", ", *this) + "]";
  }
};

/// Visitor that describes a key's values in the words of built-in keys.
struct DescribeOwn {
  const OwnKey& key;

  KeyInfo operator()(bool) const { return info("true or false", ""); }
  KeyInfo operator()(Index) const { return info("integer", integers_of(key).words()); }
  KeyInfo operator()(double) const { return info("number", numbers_of(key).words()); }
  KeyInfo operator()(const std::string&) const {
    return key.choices.empty() ? info("text", text_words(Text::path)) : info("choice", join(key.choices, " | "));
  }
  KeyInfo operator()(const std::vector<Index>&) const {
    return info("list of integers", "each " + integers_of(key).words());
  }
  KeyInfo operator()(const std::vector<std::string>&) const {
    return key.choices.empty() ? info("list of texts", "each " + text_words(Text::path))
                               : info("list of choices", "one of " + join(key.choices, " | "));
  }

  KeyInfo info(const char* type, const std::string& range) const {
    return {key.name, type, own_text(key.preset), range, key.unit, key.sentence};
  }
};

/// Joins one fact of all types: the fact alone if they agree, else "TYPE: fact; TYPE: fact".
std::string merged(const std::vector<KeyInfo>& infos, const SameKeys& keys, std::string KeyInfo::*fact) {
  const auto same = [&](const KeyInfo& info) { return info.*fact == infos.front().*fact; };
  if (std::all_of(infos.begin(), infos.end(), same)) return infos.front().*fact;
  std::vector<std::string> facts;
  for (std::size_t i = 0; i < infos.size(); ++i) facts.push_back(keys[i].first + ": " + infos[i].*fact);
  return join(facts, "; ");
}

/// Lists the distinct choices of all keys, or nothing if a key takes other values.
std::vector<std::string> choices_of_all(const SameKeys& keys) {
  std::vector<std::string> all;
  for (const auto& [type, key] : keys) {
    if (key.choices.empty()) return {};
    for (const std::string& choice : key.choices)
      if (std::find(all.begin(), all.end(), choice) == all.end()) all.push_back(choice);
  }
  return all;
}

}  // namespace

KeyInfo own_info(const SameKeys& keys) {
  std::vector<KeyInfo> infos;
  std::vector<std::string> sentences;
  for (const auto& [type, key] : keys) {
    infos.push_back(std::visit(DescribeOwn{key}, key.preset));
    sentences.push_back((type.empty() ? "" : type + ": ") + key.sentence);
  }
  // Each type lists the choices of all types, because a shell's completion offers them all.
  if (const std::vector<std::string> choices = choices_of_all(keys); !choices.empty())
    for (KeyInfo& info : infos) info.range = (info.type == "choice" ? "" : "one of ") + join(choices, " | ");
  return {keys.front().second.name,
          merged(infos, keys, &KeyInfo::type),
          merged(infos, keys, &KeyInfo::default_value),
          merged(infos, keys, &KeyInfo::range),
          merged(infos, keys, &KeyInfo::unit),
          join(sentences, " ")};
}

OwnValue read_own(const OwnKey& key, const Value& value, const std::string& path) {
  return std::visit(ReadOwn{key, value, path}, key.preset);
}

std::string own_text(const OwnValue& value) { return std::visit(WriteOwn{}, value); }

void add_same(std::vector<SameKeys>& all, const std::string& type, const std::vector<OwnKey>& keys) {
  for (const OwnKey& key : keys) {
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const SameKeys& group) { return group.front().second.name == key.name; });
    (same != all.end() ? *same : all.emplace_back()).emplace_back(type, key);
  }
}

}  // namespace tesserec::schema
