// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <tesserec/core/own_keys.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {
namespace {

struct ValueText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(Index value) const { return std::to_string(value); }
  std::string operator()(double value) const { return shortest(value); }
  std::string operator()(const std::string& value) const { return '"' + value + '"'; }
  template <class T>
  std::string operator()(const std::vector<T>& values) const {
    return "[" + join(values, ", ", *this) + "]";
  }
};

/// Test whether a value, which has the key's type, is in the key's range or among its choices.
struct IsAllowed {
  const OwnKey& key;

  bool operator()(bool) const { return true; }
  bool operator()(Index value) const { return (*this)(double(value)); }
  bool operator()(double value) const { return value >= key.least && value <= key.most; }
  bool operator()(const std::string& value) const {
    return key.choices.empty() || std::find(key.choices.begin(), key.choices.end(), value) != key.choices.end();
  }
  template <class T>
  bool operator()(const std::vector<T>& values) const {
    return std::all_of(values.begin(), values.end(), *this);
  }
};

std::string allowed_text(const OwnKey& key) {
  if (!key.choices.empty()) return "use one of: " + join(key.choices);
  const auto plain = [](double x) { return x == std::floor(x) && std::fabs(x) < 1e15 ? fixed(x, 0) : shortest(x); };
  return concat("use ", plain(key.least), " to ", plain(key.most));
}

void require_allowed(const std::string& owner, const OwnKey& key, const OwnValue& value) {
  if (!std::visit(IsAllowed{key}, value))
    fail(owner, ": the key \"", key.name, "\" is ", std::visit(ValueText{}, value), "; ", allowed_text(key));
}

bool is_word(const std::string& name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

}  // namespace

const OwnKey* find_key(const std::vector<OwnKey>& keys, const std::string& name) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const OwnKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

void check_own_keys(const std::string& owner, const std::vector<OwnKey>& keys, const std::vector<std::string>& taken) {
  for (const OwnKey& key : keys) {
    const std::string prefix = concat(owner, ": the key \"", key.name, "\" ");
    if (!is_word(key.name)) fail(prefix, "is not a valid name; use lower-case letters, digits and _");
    if (std::find(taken.begin(), taken.end(), key.name) != taken.end())
      fail(prefix, "has the name of a built-in key of the same block; choose another name");
    if (find_key(keys, key.name) != &key) fail(prefix, "is registered twice; remove one of them");
    if (key.sentence.empty()) fail(prefix, "has no sentence; describe the key in one");
    require_allowed(owner, key, key.preset);
  }
}

const OwnValue* OwnValues::find(const std::string& name) const {
  const auto value = values_.find(name);
  return value == values_.end() ? nullptr : &value->second;
}

std::string OwnValues::text() const {
  return join(values_, ", ",
              [](const auto& entry) { return entry.first + " = " + std::visit(ValueText{}, entry.second); });
}

void OwnValues::complete(const std::string& owner, const std::vector<OwnKey>& keys) {
  owner_ = owner;
  for (const auto& [name, value] : values_) {
    const OwnKey* key = find_key(keys, name);
    if (key == nullptr) refuse(name, "is not registered");
    if (value.index() != key->preset.index()) refuse(name, "is registered with another C++ type");
    require_allowed(owner, *key, value);
  }
  for (const OwnKey& key : keys) values_.emplace(key.name, key.preset);
}

void OwnValues::refuse(const std::string& name, const char* reason) const {
  if (owner_.empty())
    fail("the key \"", name,
         "\" has no value; own keys get their values when their layer, loss, model or source is created");
  fail(owner_, ": the key \"", name, "\" ", reason);
}

}  // namespace tesserec
