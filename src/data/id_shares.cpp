// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "planted_table.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/dataset.hpp>
#include <tesserec/data/id_shares.hpp>
#include <tesserec/data/make_source.hpp>

namespace tesserec::data {
namespace {

std::vector<IdShares::IdCount> counts_of(std::vector<Index> ids) {
  std::sort(ids.begin(), ids.end());
  std::vector<IdShares::IdCount> counts;
  for (const Index id : ids) {
    if (counts.empty() || counts.back().id != id) counts.push_back({id, 0});
    ++counts.back().times;
  }
  return counts;
}

IdShares count(const Settings& settings, const SourceInfo& data) {
  std::vector<std::string> paths;
  for (const SourceFile& file : data.files) paths.push_back(file.path);
  Dataset dataset(paths, "data.train", trust_of(settings));
  dataset.take_any_labels();
  const SourceInfo& info = dataset.info();
  const Index samples = std::min(info.samples, counted_samples), runs = std::min(info.samples, counted_runs);
  std::vector<Range> read;
  for (Index k = 0; k < runs; ++k) {
    const Index begin = info.samples / runs * k;
    read.push_back({begin, begin + samples * (k + 1) / runs - samples * k / runs});
  }
  Samples found;
  // The tables are not known here. Ids outside of them are counted by nobody, and end the run when it meets them.
  dataset.read(read, std::vector<Index>(info.rows.size(), any_id), found);
  IdShares shares{true, concat("counted in ", found.size, " samples of ", data.description), {}};
  const std::size_t features = info.features.size();
  for (std::size_t f = 0; f < features; ++f) {
    std::vector<Index> ids;
    if (!dataset.packed())
      ids = found.jagged[f].values;
    else
      for (std::size_t at = f; at < found.ids.size(); at += features) ids.push_back(found.ids[at]);
    shares.features[info.features[f]] = counts_of(std::move(ids));
  }
  return shares;
}

IdShares planted(const SyntheticSettings& settings, std::uint64_t seed) {
  IdShares shares{false, concat("Zipf ", significant(zipf_exponent(settings), 4)), {}};
  const std::vector<std::string> names = synthetic_features(settings);
  const std::vector<Index> rows = synthetic_rows(settings);
  for (std::size_t f = 0; f < rows.size(); ++f) {
    std::vector<IdShares::IdCount>& feature = shares.features[names[f]];
    const PlantedTable table(settings, seed, Index(f), rows[f]);
    for (Index rank = 0; rank < table.hot(); ++rank) feature.push_back({table.row(rank), table.share(rank)});
    std::sort(feature.begin(), feature.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  }
  return shares;
}

}  // namespace

IdShares id_shares(const Settings& settings, const SourceInfo& data, std::uint64_t seed) {
  if (settings.synthetic.kind == SyntheticKind::planted && zipf_exponent(settings.synthetic) > 0 &&
      !settings.synthetic.hashed)
    return planted(settings.synthetic, seed);
  try {
    return !settings.source.empty() || data.files.empty() || data.samples == 0 ? IdShares{} : count(settings, data);
  } catch (const Error& error) {
    log_common_warning(
        concat("the planner treats all rows as equally frequent, because a sample of the data cannot be read: ",
               error.what()));
    return {};
  }
}

}  // namespace tesserec::data
