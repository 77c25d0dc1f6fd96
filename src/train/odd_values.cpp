// SPDX-License-Identifier: Apache-2.0
// Check, before the first step, of the samples for which no seal vouches.
#include <algorithm>
#include <set>
#include <span>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::train {
namespace {

void warn_of(const data::OddValues& odd, const data::SourceInfo& data,
             const std::vector<embedding::EmbeddingBagConfig>& tables) {
  std::set<std::string> weighed;
  for (const embedding::EmbeddingBagConfig& table : tables)
    if (table.weighted) weighed.insert(table.feature_names.begin(), table.feature_names.end());
  for (std::size_t k = 0; k < odd.large.size(); ++k)
    if (odd.large[k] > 0)
      log_warning(concat(data.description, ": dense feature ", data.dense_names[k], ": ",
                         counted(odd.large[k], "number"),
                         " of magnitude 1e9 or more, which floats round and no weight suits; scale the feature"));
  for (std::size_t f = 0; f < odd.weightless.size(); ++f)
    if (odd.weightless[f] > 0 && weighed.contains(data.features[f]))
      log_warning(concat(data.description, ": feature ", data.features[f], ": in ",
                         counted(odd.weightless[f], "sample"), " of ", data.samples,
                         " all ids have weight 0, so the feature has no effect there"));
  std::vector<std::string> unused;
  for (std::size_t f = 0; f < data.weighted.size(); ++f)
    if (data.weighted[f] && !weighed.contains(data.features[f])) unused.push_back(data.features[f]);
  if (!unused.empty())
    log_warning(concat(data.description, " has weights for the ids of ", join(unused),
                       ", but no table uses them; set table.NAME.weighted = true, or leave the weights out"));
}

}  // namespace

void prepare_source(const Session& session, data::Source& source, data::Use use) {
  const data::SourceInfo& info = source.info();
  const std::vector<embedding::EmbeddingBagConfig>& tables = session.model.tables().tables();
  source.limit_rows(id_limits(tables, info));
  data::OddValues odd;
  comm::agree(session.comm, [&] { odd = source.check_samples(); });
  for (std::vector<Index>* counts : {&odd.large, &odd.weightless, &odd.not_single})
    session.comm.sum(std::span<Index>(*counts));
  if (session.comm.rank() == 0) warn_of(odd, info, tables);
  const EvaluateSettings& settings = session.job.evaluate;
  if (use != data::Use::evaluate ||
      std::none_of(settings.metrics.begin(), settings.metrics.end(), metrics::needs_groups))
    return;
  for (std::size_t f = 0; f < odd.not_single.size(); ++f)
    if (info.features[f] == settings.group) require_one_id(settings.group, odd.not_single[f], info);
}

}  // namespace tesserec::train
