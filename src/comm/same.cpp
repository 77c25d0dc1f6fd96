// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>

#include <tesserec/comm/same.hpp>
#include <tesserec/core/error.hpp>

namespace tesserec::comm {
namespace {

/// Returns the 64-bit FNV-1a hash of a text.
std::uint64_t digest(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// Joins all names and values, each followed by a NUL, which none of them contains.
std::string packed(const std::vector<Named>& list) {
  std::string text;
  for (const Named& entry : list) {
    (text += entry.name) += '\0';
    (text += entry.value) += '\0';
  }
  return text;
}

std::vector<Named> unpacked(const std::string& text) {
  std::vector<Named> list;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t name = text.find('\0', at), value = text.find('\0', name + 1);
    list.push_back({text.substr(at, name - at), text.substr(name + 1, value - name - 1)});
    at = value + 1;
  }
  return list;
}

/// Cuts a long value to the bytes around the first one that differs from `other`.
std::string shortened(const std::string& value, const std::string& other) {
  constexpr std::size_t max_bytes = 120, before = 30;
  if (value.size() <= max_bytes) return value;
  const std::size_t first = std::mismatch(value.begin(), value.end(), other.begin(), other.end()).first - value.begin();
  const std::size_t from = first > before ? first - before : 0;
  const char* const head = from > 0 ? "..." : "";
  const char* const tail = from + max_bytes < value.size() ? "..." : "";
  return concat(head, value.substr(from, max_bytes), tail);
}

/// Describes the difference between `own`, the list of rank `rank`, and `first`, the list of rank 0.
std::string difference(int rank, const std::vector<Named>& own, const std::vector<Named>& first) {
  std::map<std::string, std::string> values, first_values;
  for (const Named& entry : own) values[entry.name] = entry.value;
  for (const Named& entry : first) first_values[entry.name] = entry.value;
  std::vector<std::string> names;
  for (const Named& entry : first)
    if (const auto found = values.find(entry.name); found == values.end() || found->second != entry.value)
      names.push_back(entry.name);
  for (const Named& entry : own)
    if (first_values.count(entry.name) == 0) names.push_back(entry.name);
  if (names.empty()) return concat("rank ", rank, " has the values in another order than rank 0");

  const std::string& name = names.front();
  const auto a = values.find(name), b = first_values.find(name);
  std::string text = concat("rank ", rank, ": ", name);
  if (a == values.end())
    text = concat("rank ", rank, " has no ", name, ", which is ", shortened(b->second, ""), " on rank 0");
  else if (b == first_values.end())
    text += " is " + shortened(a->second, "") + ", rank 0 has none";
  else
    text += " is " + shortened(a->second, b->second) + ", rank 0 has " + shortened(b->second, a->second);
  constexpr std::size_t shown = 10;
  names.erase(names.begin());
  if (names.empty()) return text;
  const std::size_t hidden = names.size() > shown ? names.size() - shown : 0;
  names.resize(names.size() - hidden);
  return text + "; the ranks also differ in " + join(names) + (hidden > 0 ? concat(" and ", hidden, " more") : "");
}

}  // namespace

std::vector<int> ranks_that_differ(const Communicator& comm, const std::string& text) {
  const std::vector<std::uint64_t> hashes = comm.all_gather(digest(text));
  std::vector<int> ranks;
  for (std::size_t r = 0; r < hashes.size(); ++r)
    if (hashes[r] != hashes[0]) ranks.push_back(int(r));
  return ranks;
}

void require_same(const Communicator& comm, const std::vector<Named>& own, const std::string& advice) {
  if (comm.size() == 1) return;
  const std::string text = packed(own);
  const std::vector<int> others = ranks_that_differ(comm, text);
  if (others.empty()) return;
  const std::vector<Named> first = unpacked(comm.broadcast(text, 0));
  std::string message;
  if (comm.rank() == others.front()) message = difference(comm.rank(), own, first);
  message = comm.broadcast(message, others.front());
  if (others.size() > 1) message += concat("; ", others.size(), " of ", comm.size(), " ranks differ from rank 0");
  fail(message, "; ", advice);
}

}  // namespace tesserec::comm
