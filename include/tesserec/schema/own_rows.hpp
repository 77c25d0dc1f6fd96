// SPDX-License-Identifier: Apache-2.0
/// Rows of the schema for the keys that registered types add (core/own_keys.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/own_keys.hpp>
#include <tesserec/schema/key.hpp>

namespace tesserec::schema {

/// Keys with one name in one block, each with the name of the type that registered it.
using SameKeys = std::vector<std::pair<std::string, OwnKey>>;

/// Describes keys of one name in one row: once where they agree, else type by type. An empty type name marks the
/// block's only key of this name.
KeyInfo own_info(const SameKeys& keys);

/// Reads a value of the key's type. Throws the errors of built-in keys.
OwnValue read_own(const OwnKey& key, const Value& value, const std::string& path);
/// Writes a value as TOML.
std::string own_text(const OwnValue& value);

/// Adds each key of a type to the keys of its name.
void add_same(std::vector<SameKeys>& all, const std::string& type, const std::vector<OwnKey>& keys);

/// Makes the row of keys of one name. `type_of(object)` is the object's type; `values(object)` holds the values of its
/// own keys.
template <class T, class Of, class Values>
Key<T> own_row(const SameKeys& keys, const Of& type_of, const Values& values) {
  const std::string name = keys.front().second.name;
  Key<T> row;
  row.info = own_info(keys);
  row.read = [=](T& object, const Value& value, const std::string& path) {
    values(object).set(name, read_own(*find_key(type_of(object).own, name), value, path));
  };
  row.write = [=](const T& object) {
    const OwnValue* const value = values(object).find(name);
    return own_text(value != nullptr ? *value : find_key(type_of(object).own, name)->preset);
  };
  return row;
}

/// Makes the rows of own keys in a block for objects of several types, one row per name. An object refuses the keys of
/// other types. `selector` names the key that selects the type.
template <class T, class Type, class Of, class Values>
Keys<T> own_rows(const std::vector<Type>& types, const std::string& selector, const Of& type_of, const Values& values) {
  std::vector<SameKeys> all;
  for (const Type& type : types) add_same(all, type.name, type.own);
  Keys<T> rows;
  for (const SameKeys& keys : all) rows.push_back(of_kind(own_row<T>(keys, type_of, values), selector, type_of));
  return rows;
}

}  // namespace tesserec::schema
