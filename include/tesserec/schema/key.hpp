// SPDX-License-Identifier: Apache-2.0
/// A row of the schema: a key bound to a member of a settings struct T. It parses, checks, writes and
/// describes itself; the default is that of a default-constructed T.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/own_keys.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/schema/key_info.hpp>
#include <tesserec/schema/read.hpp>

namespace tesserec::schema {

template <class T>
struct Key {
  KeyInfo info;
  std::function<void(T&, const Value&, const std::string& path)> read;
  std::function<std::string(const T&)> write;  ///< as TOML; empty = unset
  bool required = false;
};
template <class T>
using Keys = std::vector<Key<T>>;

/// Names of an enum's values, as they stand in a deck.
template <class E>
using Choices = std::vector<std::pair<std::string, E>>;

template <class T, class Read, class Write>
Key<T> make_key(const char* name, const std::string& type, const std::string& range, const char* unit,
                const std::string& sentence, Read read, Write write) {
  return {{name, type, write(T{}), range, unit, sentence}, read, write};
}

template <class T>
Key<T> required(Key<T> key) {
  key.required = true;
  key.info.default_value = "required";
  return key;
}

/// A key of a struct inside T.
template <class T, class M>
Key<T> inside(M T::*part, const Key<M>& key) {
  return {key.info, [=](T& o, const Value& v, const std::string& path) { key.read(o.*part, v, path); },
          [=](const T& o) { return key.write(o.*part); }, key.required};
}

/// Key of a T's block that is known by its name and left to those who put a key of theirs in its place.
template <class T>
Key<T> left_to_job(const char* name) {
  Key<T> key;
  key.info.name = name;
  key.read = [](T&, const Value&, const std::string&) {};
  key.write = [](const T&) { return std::string(); };
  return key;
}

/// Keys of a struct as those of one that derives from it, with `own` in place of those of the same names.
template <class T, class Base>
Keys<T> extended(const Keys<Base>& keys, const Keys<T>& own) {
  Keys<T> all;
  for (const Key<Base>& key : keys) all.push_back({key.info, key.read, key.write, key.required});
  for (const Key<T>& key : own) {
    const auto place =
        std::find_if(all.begin(), all.end(), [&](const Key<T>& one) { return one.info.name == key.info.name; });
    if (place == all.end()) fail("the block has no key ", key.info.name, " that is left to the job");
    *place = key;
  }
  return all;
}

/// Key that only objects with reads(object) read. Others refuse it, with "path why(object)", and do not write it.
template <class T, class Reads, class Why>
Key<T> of_some(Key<T> key, const Reads& reads, const Why& why) {
  key.read = [=, read = key.read](T& object, const Value& value, const std::string& path) {
    if (!reads(object)) fail(value.where, ": ", path, " ", why(object));
    read(object, value, path);
  };
  key.write = [=, write = key.write](const T& object) { return reads(object) ? write(object) : std::string(); };
  return key;
}

/// Says what the struct's default stands for, where that is taken from elsewhere.
template <class T>
Key<T> default_words(Key<T> key, const std::string& words) {
  key.info.default_value = words;
  return key;
}

/// Key that some kinds list: `of(object)` is the kind, with `keys`, `own` ones and a name; `what` is the key that chose
/// it.
template <class T, class Of>
Key<T> of_kind(const Key<T>& key, const std::string& what, const Of& of) {
  return of_some(
      key,
      [=, name = key.info.name](const T& object) {
        const auto& keys = of(object).keys;
        return std::find(keys.begin(), keys.end(), name) != keys.end() || find_key(of(object).own, name) != nullptr;
      },
      [=](const T& object) {
        std::vector<std::string> keys = of(object).keys;
        for (const OwnKey& own : of(object).own) keys.push_back(own.name);
        return concat("is not for ", what, " = ", quoted(of(object).name), ", which reads ",
                      keys.empty() ? "no key of its own" : join(keys));
      });
}

/// `M` is an integer, or an optional of one that is unset until the deck sets it.
template <class T, class M>
Key<T> integer(const char* name, M T::*member, Integers range, const char* unit, const char* sentence) {
  using Number = typename decltype(std::optional(std::declval<M>()))::value_type;
  if (std::uint64_t(range.high) > std::uint64_t(std::numeric_limits<Number>::max()))
    range.high = std::numeric_limits<Number>::max();
  return make_key<T>(
      name, "integer", range.words(), unit, sentence,
      [=](T& o, const Value& v, const std::string& path) {
        o.*member = static_cast<Number>(read_integer(v, path, range));
      },
      [=](const T& o) {
        const std::optional<Number> value = o.*member;
        return value ? std::to_string(*value) : "";
      });
}

/// `M` is double, or an optional of it that is unset until the deck sets it.
template <class T, class M>
Key<T> number(const char* name, M T::*member, Numbers range, const char* unit, const std::string& sentence) {
  return make_key<T>(
      name, "number", range.words(), unit, sentence,
      [=](T& o, const Value& v, const std::string& path) { o.*member = read_number(v, path, range); },
      [=](const T& o) {
        const std::optional<double> value = o.*member;
        return value ? shortest(*value) : "";
      });
}

/// `M` is bool, or an optional of it that is unset until the deck sets it.
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

template <class T>
Key<T> text(const char* name, std::string T::*member, Text form, const char* sentence) {
  return make_key<T>(
      name, "text", text_words(form), "", sentence,
      [=](T& o, const Value& v, const std::string& path) { o.*member = read_text(v, path, form); },
      [=](const T& o) { return quoted(o.*member); });
}

template <class E>
std::vector<std::string> names_of(const Choices<E>& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return names;
}

/// `M` is E or std::optional<E>; E is what `choices` lists, so that "auto" may stand for an empty optional. One that is
/// not listed is unset.
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

/// The form of a list in a deck.
struct ListForm {
  std::string type;   ///< "list of integers"
  std::string range;  ///< of each element; empty: any
  const char* unit;
  Length length;
  bool one_will_do;  ///< an element alone stands for a list of one
};

/// A list whose elements are read by `element(value, path)` and written by `to_text(element)`.
template <class T, class M, class Read, class Write>
Key<T> list(const char* name, std::vector<M> T::*member, const ListForm& form, const char* sentence, Read element,
            Write to_text) {
  const Length length = form.length;
  const bool one_will_do = form.one_will_do;
  std::string range = form.range.empty() ? "" : "each " + form.range;
  if (const std::string rule = length_words(length); !rule.empty()) range = rule + (range.empty() ? "" : "; " + range);
  return make_key<T>(
      name, form.type, range, form.unit, sentence,
      [=](T& o, const Value& v, const std::string& path) {
        std::vector<M> values;
        read_list(v, path, length, one_will_do,
                  [&](const Value& e, const std::string& p) { values.push_back(element(e, p)); });
        o.*member = std::move(values);
      },
      [=](const T& o) { return "[" + join(o.*member, ", ", to_text) + "]"; });
}

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

template <class T>
Key<T> numbers(const char* name, std::vector<double> T::*member, Numbers range, Length length, const char* unit,
               const char* sentence) {
  return list(
      name, member, {"list of numbers", range.words(), unit, length, false}, sentence,
      [=](const Value& v, const std::string& path) { return read_number(v, path, range); },
      [](double value) { return shortest(value); });
}

/// One text alone stands for a list of one.
template <class T>
Key<T> texts(const char* name, std::vector<std::string> T::*member, Text form, Length length, const char* sentence) {
  return list(
      name, member, {"list of texts", text_words(form), "", length, true}, sentence,
      [=](const Value& v, const std::string& path) { return read_text(v, path, form); },
      [](const std::string& value) { return quoted(value); });
}

/// A list of enum values.
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

template <class T>
Key<T> some_of(const char* name, std::vector<std::string> T::*member, const std::vector<std::string>& choices,
               const char* sentence, Length length = {1}) {
  return list(
      name, member, {"list of choices", "one of " + join(choices, " | "), "", length, true}, sentence,
      [=](const Value& v, const std::string& path) { return choices[read_choice(v, path, choices)]; },
      [](const std::string& value) { return quoted(value); });
}

}  // namespace tesserec::schema
