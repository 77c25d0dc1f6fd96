// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "planted_table.hpp"
#include <tesserec/core/index.hpp>
#include <tesserec/data/planted.hpp>

namespace tesserec::data {

PlantedTruth planted_truth(const comm::Communicator& comm, const SyntheticSettings& settings, std::uint64_t seed,
                           Index seen_at_least) {
  const PlantedModel model(settings, seed);
  std::vector<std::uint8_t> own_masks;
  for (Index t = comm.rank(); t < model.tables(); t += comm.size()) {
    const auto mask = model.ranks_seen(t, settings.samples, seen_at_least);
    own_masks.insert(own_masks.end(), mask.begin(), mask.end());
  }
  const std::vector<std::uint8_t> all = comm.all_gather(std::span<const std::uint8_t>(own_masks));
  const std::vector<Index> rows = synthetic_rows(settings);
  RankMask seen(rows.size());
  auto from = all.begin();
  for (int rank = 0; rank < comm.size(); ++rank)
    for (Index t = rank; t < model.tables(); t += comm.size()) {
      const auto end = from + (rows[t] + 7) / 8;
      seen[t].assign(from, end);
      from = end;
    }

  const Range own_samples{settings.evaluate_samples * comm.rank() / comm.size(),
                          settings.evaluate_samples * (comm.rank() + 1) / comm.size()};
  PlantedTruth truth;
  truth.tasks = std::max<Index>(1, std::ssize(settings.labels.names));
  for (Index first = own_samples.begin; first < own_samples.end; first += planted_block) {
    const auto samples = numbers({first, std::min(first + planted_block, own_samples.end)});
    const auto unrestricted = model.probabilities(PlantedStream::evaluate, samples, nullptr, &truth.labels);
    const auto restricted = model.probabilities(PlantedStream::evaluate, samples, &seen, nullptr);
    model.towers(PlantedStream::evaluate, samples, truth.queries, truth.items);
    truth.probabilities.insert(truth.probabilities.end(), unrestricted.begin(), unrestricted.end());
    truth.restricted.insert(truth.restricted.end(), restricted.begin(), restricted.end());
  }
  return truth;
}

}  // namespace tesserec::data
