// SPDX-License-Identifier: Apache-2.0
/// Rows of the schema: keys bound to members of a settings struct T. A key parses, checks, writes and describes itself.
/// Its default is that of a default-constructed T.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/own_keys.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/schema/key_info.hpp>
#include <tesserec/schema/read.hpp>

namespace tesserec::schema {

/// Key of a deck, bound to a member of T.
template <class T>
struct Key {
  KeyInfo info;
  std::function<void(T&, const Value&, const std::string& path)> read;
  std::function<std::string(const T&)> write;  ///< writer of the value as TOML; it returns "" for an unset key
  bool required = false;
};
template <class T>
using Keys = std::vector<Key<T>>;

/// Enum values with their names in a deck.
template <class E>
using Choices = std::vector<std::pair<std::string, E>>;

/// Makes a key whose default is `write(T{})`.
template <class T, class Read, class Write>
Key<T> make_key(const char* name, const std::string& type, const std::string& range, const char* unit,
                const std::string& sentence, Read read, Write write) {
  return {{name, type, write(T{}), range, unit, sentence}, read, write};
}

/// Makes a key required.
template <class T>
Key<T> required(Key<T> key) {
  key.required = true;
  key.info.default_value = "required";
  return key;
}

/// Makes a key of T from the key of a struct inside T.
template <class T, class M>
Key<T> inside(M T::*member, const Key<M>& key) {
  return {key.info, [=](T& o, const Value& v, const std::string& path) { key.read(o.*member, v, path); },
          [=](const T& o) { return key.write(o.*member); }, key.required};
}

/// Makes a key that T's block knows by name only. Derived settings put their own key in its place.
template <class T>
Key<T> left_to_job(const char* name) {
  Key<T> key;
  key.info.name = name;
  key.read = [](T&, const Value&, const std::string&) {};
  key.write = [](const T&) { return std::string(); };
  return key;
}

/// Converts the keys of a struct to keys of a struct that derives from it, replacing keys by the `own` keys of the same
/// names. Throws Error if an own key replaces none.
template <class T, class Base>
Keys<T> extended(const Keys<Base>& keys, const Keys<T>& own) {
  Keys<T> all;
  for (const Key<Base>& key : keys) all.push_back({key.info, key.read, key.write, key.required});
  for (const Key<T>& key : own) {
    const auto place = std::find_if(all.begin(), all.end(),
                                    [&](const Key<T>& inherited) { return inherited.info.name == key.info.name; });
    if (place == all.end()) fail("the block has no key ", key.info.name, " that is left to the job");
    *place = key;
  }
  return all;
}

/// Makes a key that only objects with reads(object) read. Other objects refuse it with "path why(object)" and do not
/// write it.
template <class T, class Reads, class Why>
Key<T> of_some(Key<T> key, const Reads& reads, const Why& why) {
  key.read = [=, read = key.read](T& object, const Value& value, const std::string& path) {
    if (!reads(object)) fail(value.where, ": ", path, " ", why(object));
    read(object, value, path);
  };
  key.write = [=, write = key.write](const T& object) { return reads(object) ? write(object) : std::string(); };
  return key;
}

/// Sets the words that describe a default which is taken from elsewhere.
template <class T>
Key<T> default_words(Key<T> key, const std::string& words) {
  key.info.default_value = words;
  return key;
}

/// Makes a key that only some kinds read. `kind(object)` is the object's kind, which has `keys`, `own` keys and a
/// name; `selector` names the key that selects it.
template <class T, class Of>
Key<T> of_kind(const Key<T>& key, const std::string& selector, const Of& kind) {
  return of_some(
      key,
      [=, name = key.info.name](const T& object) {
        const auto& keys = kind(object).keys;
        return std::find(keys.begin(), keys.end(), name) != keys.end() || find_key(kind(object).own, name) != nullptr;
      },
      [=](const T& object) {
        std::vector<std::string> keys = kind(object).keys;
        for (const OwnKey& own : kind(object).own) keys.push_back(own.name);
        return concat("does not apply to ", selector, " = ", quoted(kind(object).name), ", which reads ",
                      keys.empty() ? "no key of its own" : join(keys));
      });
}

/// Makes a key of an integer. `M` is an integer type, or an optional of one that is unset until the deck sets it.
/// Lowers the range's end to that of the type. In "bytes" it is also read as read_bytes() reads texts.
template <class T, class M>
Key<T> integer(const char* name, M T::*member, Integers range, const char* unit, const char* sentence) {
  using Number = typename decltype(std::optional(std::declval<M>()))::value_type;
  if (std::uint64_t(range.high) > std::uint64_t(std::numeric_limits<Number>::max()))
    range.high = std::numeric_limits<Number>::max();
  const auto read = std::string_view(unit) == "bytes" ? read_bytes : read_integer;
  return make_key<T>(
      name, "integer", range.words(), unit, sentence,
      [=](T& o, const Value& v, const std::string& path) { o.*member = static_cast<Number>(read(v, path, range)); },
      [=](const T& o) {
        const std::optional<Number> value = o.*member;
        return value ? std::to_string(*value) : "";
      });
}

/// Makes a key of a number. `M` is double, or an optional of it that is unset until the deck sets it. In "bytes" or
/// "share or bytes" it is also read as read_bytes() reads texts.
template <class T, class M>
Key<T> number(const char* name, M T::*member, Numbers range, const char* unit, const std::string& sentence) {
  const bool bytes = std::string_view(unit).ends_with("bytes");
  return make_key<T>(
      name, "number", range.words(), unit, sentence,
      [=](T& o, const Value& v, const std::string& path) {
        const bool text = bytes && v.kind == Kind::text;
        o.*member =
            text ? double(read_bytes(v, path, {Index(range.low), Index(range.high)})) : read_number(v, path, range);
      },
      [=](const T& o) {
        const std::optional<double> value = o.*member;
        return value ? shortest(*value) : "";
      });
}

/// Makes a key of a boolean. `M` is bool, or an optional of it that is unset until the deck sets it.
template <class T, class M>
Key<T> boolean(const char* name, M T::*member, const char* sentence) {
  return make_key<T>(
      name, "true or false", "", "", sentence,
      [=](T& o, const Value& v, const std::string& path) { o.*member = read_boolean(v, path); },
      [=](const T& o) {
        const std::optional<bool> value = o.*member;
        if (!value) return std::string();
        return std::string(*value ? "true" : "false");
      });
}

/// Makes a key of text.
template <class T>
Key<T> text(const char* name, std::string T::*member, Text form, const char* sentence) {
  return make_key<T>(
      name, "text", text_words(form), "", sentence,
      [=](T& o, const Value& v, const std::string& path) { o.*member = read_text(v, path, form); },
      [=](const T& o) { return quoted(o.*member); });
}

/// Returns the names of the choices.
template <class E>
std::vector<std::string> names_of(const Choices<E>& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return names;
}

/// Makes a key of a choice. `M` is an enum or an optional of one, so that "auto" may stand for an empty optional. A
/// value that is not in `choices` is written as unset.
template <class T, class M>
Key<T> choice(const char* name, M T::*member, const Choices<M>& choices, const std::string& sentence) {
  const std::vector<std::string> names = names_of(choices);
  return make_key<T>(
      name, "choice", join(names, " | "), "", sentence,
      [=](T& o, const Value& v, const std::string& path) { o.*member = choices[read_choice(v, path, names)].second; },
      [=](const T& o) {
        for (const auto& c : choices)
          if (c.second == o.*member) return quoted(c.first);
        return std::string();
      });
}

/// Form of a list in a deck.
struct ListForm {
  std::string type;   ///< "list of integers"
  std::string range;  ///< range of each element; empty = any
  const char* unit;
  Length length;
  bool allow_single;  ///< permission to write a list of one as its element
};

/// Makes a key of a list. `element(value, path)` reads an element and `to_text(element)` writes it.
template <class T, class M, class Read, class Write>
Key<T> list(const char* name, std::vector<M> T::*member, const ListForm& form, const char* sentence, Read element,
            Write to_text) {
  const Length length = form.length;
  const bool allow_single = form.allow_single;
  std::string range = form.range.empty() ? "" : "each " + form.range;
  if (const std::string rule = length_words(length); !rule.empty()) range = rule + (range.empty() ? "" : "; " + range);
  return make_key<T>(
      name, form.type, range, form.unit, sentence,
      [=](T& o, const Value& v, const std::string& path) {
        std::vector<M> values;
        read_list(v, path, length, allow_single,
                  [&](const Value& e, const std::string& p) { values.push_back(element(e, p)); });
        o.*member = std::move(values);
      },
      [=](const T& o) { return "[" + join(o.*member, ", ", to_text) + "]"; });
}

/// Makes a key of a list of integers. Lowers the range's end to that of the type.
template <class T, class M>
Key<T> integers(const char* name, std::vector<M> T::*member, Integers range, Length length, const char* unit,
                const char* sentence) {
  if (std::uint64_t(range.high) > std::uint64_t(std::numeric_limits<M>::max()))
    range.high = std::numeric_limits<M>::max();
  return list(
      name, member, {"list of integers", range.words(), unit, length, false}, sentence,
      [=](const Value& v, const std::string& path) { return static_cast<M>(read_integer(v, path, range)); },
      [](const M& value) { return std::to_string(value); });
}

/// Makes a key of a list of numbers.
template <class T>
Key<T> numbers(const char* name, std::vector<double> T::*member, Numbers range, Length length, const char* unit,
               const char* sentence) {
  return list(
      name, member, {"list of numbers", range.words(), unit, length, false}, sentence,
      [=](const Value& v, const std::string& path) { return read_number(v, path, range); },
      [](double value) { return shortest(value); });
}

/// Makes a key of a list of texts. A single text stands for a list of one.
template <class T>
Key<T> texts(const char* name, std::vector<std::string> T::*member, Text form, Length length, const char* sentence) {
  return list(
      name, member, {"list of texts", text_words(form), "", length, true}, sentence,
      [=](const Value& v, const std::string& path) { return read_text(v, path, form); },
      [](const std::string& value) { return quoted(value); });
}

/// Makes a key of a list of enum values. A single value stands for a list of one.
template <class T, class E>
Key<T> some_of(const char* name, std::vector<E> T::*member, const Choices<E>& choices, const char* sentence) {
  const std::vector<std::string> names = names_of(choices);
  return list(
      name, member, {"list of choices", "one of " + join(names, " | "), "", Length{0}, true}, sentence,
      [=](const Value& v, const std::string& path) { return choices[read_choice(v, path, names)].second; },
      [=](const E& value) {
        return quoted(
            std::find_if(choices.begin(), choices.end(), [&](const auto& c) { return c.second == value; })->first);
      });
}

/// Makes a key of a list of texts from `choices`. A single text stands for a list of one.
template <class T>
Key<T> some_of(const char* name, std::vector<std::string> T::*member, const std::vector<std::string>& choices,
               const char* sentence, Length length = {1}) {
  return list(
      name, member, {"list of choices", "one of " + join(choices, " | "), "", length, true}, sentence,
      [=](const Value& v, const std::string& path) { return choices[read_choice(v, path, choices)]; },
      [](const std::string& value) { return quoted(value); });
}

}  // namespace tesserec::schema
