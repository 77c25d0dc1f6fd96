// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <tesserec/core/error.hpp>
#include <tesserec/data/source.hpp>

namespace tesserec::data {

const SourceInfo& checked(const SourceInfo& info) {
  const auto check = [&](const char* list, std::size_t size, std::size_t wanted, const char* noun) {
    if (size != wanted)
      fail("the source (", info.description, ") has ", size, " ", list, " for ", counted(Index(wanted), noun),
           "; SourceInfo needs one for each");
  };
  const std::size_t features = info.features.size(), dense = info.dense_features;
  check("rows", info.rows.size(), features, "feature");
  if (!info.ids_per_bag.empty()) check("ids_per_bag", info.ids_per_bag.size(), features, "feature");
  if (!info.multi_hot.empty()) check("multi_hot", info.multi_hot.size(), features, "feature");
  if (!info.zipf.empty()) check("zipf", info.zipf.size(), features, "feature");
  if (!info.weighted.empty()) check("weighted", info.weighted.size(), features, "feature");
  if (!info.borders.empty()) check("borders", info.borders.size(), features, "feature");
  if (!info.dense_names.empty()) check("dense_names", info.dense_names.size(), dense, "dense feature");
  if (!info.transforms.empty()) check("transforms", info.transforms.size(), dense, "dense feature");
  return info;
}

void Source::limit_rows(const std::vector<Index>& rows) {
  const SourceInfo& source = info();
  assert(rows.size() == source.rows.size());
  for (std::size_t f = 0; f < rows.size(); ++f)
    if (rows[f] < source.rows[f] && source.rows[f] == any_id)
      fail("feature ", source.features[f], " of ", source.description, " has ids of 64 bits, but its table has ",
           counted(rows[f], "row"), " and does not grow; set table.NAME.growing = true");
    else if (rows[f] < source.rows[f])
      fail("feature ", source.features[f], " of ", source.description, " has ids up to ", source.rows[f] - 1,
           ", but its table has ", counted(rows[f], "row"), "; give the table at least ", source.rows[f], " rows");
}

std::vector<Index> Source::limit_labels(const LabelRange&) { return {}; }

OddValues Source::check_samples() { return {}; }

void Source::read_keys(std::size_t, Range, char*) const { assert(false); }

}  // namespace tesserec::data
