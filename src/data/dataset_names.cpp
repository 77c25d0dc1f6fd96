// SPDX-License-Identifier: Apache-2.0
#include "dataset_names.hpp"

#include <algorithm>
#include <set>

#include <tesserec/core/error.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::data {

void require_names(const std::string& path, const char* attribute, const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const std::string fault = name_fault(names[i]); !fault.empty())
      fail(path, ": attribute ", attribute, ": \"", names[i], "\", number ", i, ", is no name: ", fault,
           "; give it another one");
    if (!seen.insert(names[i]).second)
      fail(path, ": attribute ", attribute, " has \"", names[i], "\" twice; give each a name of its own");
  }
}

void require_one_form(const store::File& file, const std::vector<std::string>& features, bool packed) {
  if (!file.exists("/sparse")) return;
  for (const std::string& name : file.names("/sparse")) {
    if (packed && name == "ids") continue;
    if (packed)
      fail(file.path(), ": /sparse/ids holds packed ids, and /sparse/", name,
           " stands beside it; keep one form of the ids");
    if (std::find(features.begin(), features.end(), name) == features.end())
      fail(file.path(), ": /sparse/", name,
           " is not one of the features; name it in the attribute features, or remove it");
  }
}

void require_offsets(const store::PartedFile& file, const std::string& offsets, Index samples, Index values) {
  Index first = 0, last = 0;
  file.read(offsets, {0, 1}, &first);
  file.read(offsets, {samples, 1}, &last);
  if (first != 0) fail(file.path(), ": ", offsets, " begins at ", first, "; offsets begin at 0");
  if (last != values)
    fail(file.path(), ": ", offsets, " ends at ", last, ", but there are ", values,
         " ids; offsets end at the number of ids");
}

}  // namespace tesserec::data
