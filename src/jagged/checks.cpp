// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"

#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::jagged {

std::string row_name(Index row) { return "row " + std::to_string(row); }

BagName sample_name(const std::vector<std::string>& keys, const std::vector<Index>& first_bags) {
  return [&keys, &first_bags](Index bag) {
    const auto after = std::upper_bound(first_bags.begin(), first_bags.end(), bag);
    const Index key = after - first_bags.begin() - 1;
    return "key \"" + keys[key] + "\", sample " + std::to_string(bag - first_bags[key]);
  };
}

Vector<Index> offsets_of(const Exec& exec, const Vector<Index>& lengths, Index values, const BagName& name) {
  const Index bags = lengths.extent(0);
  Vector<Index> offsets = make_vector<Index>(exec, "tesserec::jagged::offsets", bags + 1);
  offsets(0) = 0;
  for (Index i = 0; i < bags; ++i) {
    if (lengths(i) < 0) fail(name(i), ": length ", lengths(i), " is negative; use 0 or more");
    if (lengths(i) > values - offsets(i))
      fail("the lengths sum to more than the ", values, " values, from ", name(i),
           " on; every value belongs to one bag");
    offsets(i + 1) = offsets(i) + lengths(i);
  }
  if (offsets(bags) != values)
    fail("the lengths sum to ", offsets(bags), ", but there are ", values, " values; every value belongs to a bag");
  return offsets;
}

void check_offsets(const Vector<Index>& offsets, Index values, const BagName& name) {
  const Index bags = Index(offsets.extent(0)) - 1;
  if (offsets(0) != 0) fail("the offsets start at ", offsets(0), "; the first offset is 0");
  for (Index i = 0; i < bags; ++i)
    if (offsets(i + 1) < offsets(i))
      fail(name(i), ": its offsets descend from ", offsets(i), " to ", offsets(i + 1), "; offsets must ascend");
  if (offsets(bags) != values)
    fail("the offsets end at ", offsets(bags), ", but there are ", values, " values; every value belongs to a bag");
}

void check_weights(const Vector<float>& weights, Index values) {
  const Index count = weights.extent(0);
  if (count != 0 && count != values)
    fail("there are ", count, " weights for ", values, " values; give one for each value, or none");
}

std::string quoted_list(const std::vector<std::string>& keys) {
  return keys.empty() ? "none" : concat('"', join(keys, "\", \""), '"');
}

Index find_key(const std::vector<std::string>& keys, const std::string& key, const std::string& tensor) {
  const auto found = std::find(keys.begin(), keys.end(), key);
  if (found == keys.end()) fail("the ", tensor, " has no key \"", key, "\"; its keys: ", quoted_list(keys));
  return found - keys.begin();
}

}  // namespace tesserec::jagged
