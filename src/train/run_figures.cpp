// SPDX-License-Identifier: Apache-2.0
#include "run_figures.hpp"

#include <algorithm>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/train/checkpoint.hpp>

namespace tesserec::train {
namespace {

double median(std::vector<float> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return values.empty() ? 0 : *middle;
}

/// Returns the digest of all weights. Throws Diverged if the square of a weight in 16 bits is not finite: a row that
/// became infinite may have no effect that a step finds, such as a ReLU's negative input. Collective.
std::string digest_of_finite(Session& session) {
  std::string not_finite;
  const std::string digest = weights_digest(session, &not_finite);
  const bool has_short = std::ranges::any_of(
      session.model.tables().tables(), [](const auto& table) { return table.weight_format() != NumberType::fp32; });
  if (!has_short) not_finite.clear();
  if (!not_finite.empty()) not_finite += "; lower the learning rate, or set table_format to fp32";
  comm::agree_on<Diverged>(session.comm, not_finite);
  return digest;
}

}  // namespace

void add_figures(Session& session, const TrainedSamples& trained, TrainResult& result) {
  result.samples_per_second = trained.samples_per_second();
  result.weights_digest = digest_of_finite(session);
  result.state_digest = state_digest(session);
  result.step_seconds = median(trained.step_seconds);
  const auto steps = std::max<Index>(1, std::ssize(trained.step_seconds));
  result.exchange_bytes = session.comm.max(session.model.tables().bytes().all / steps);
  result.between_nodes_bytes = session.comm.max(session.model.tables().bytes().between_nodes / steps);
  result.peak_memory_of_ranks = session.comm.all_gather(peak_resident_bytes());
  result.peak_memory = *std::max_element(result.peak_memory_of_ranks.begin(), result.peak_memory_of_ranks.end());
  result.tables = table_figures(session);
  result.phases = session.step.phases().seconds();
  result.log_lines_lost = session.comm.sum(Index{log_lines_lost()});
}

}  // namespace tesserec::train
