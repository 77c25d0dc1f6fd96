// SPDX-License-Identifier: Apache-2.0
#include "unread_keys.hpp"

#include <tesserec/core/log.hpp>

namespace tesserec::app {
namespace {

void warn(const comm::Communicator& comm, const std::vector<std::string>& messages) {
  if (comm.rank() != 0) return;
  for (const std::string& message : messages) log_warning(message);
}

}  // namespace

void warn_of_unread_keys(const comm::Communicator& comm, const deck::Deck& deck,
                         const std::vector<std::string>& blocks) {
  warn(comm, deck::unread_keys(deck, blocks));
}

void warn_of_unread_caches(const train::Session& session, const deck::Deck& deck) {
  const auto& tables = session.model.tables();
  deck::TableKernels kernels;
  for (std::size_t t = 0; t < tables.tables().size(); ++t) kernels[tables.tables()[t].name] = tables.plan()[t].kernel;
  warn(session.comm, deck::unread_caches(deck, kernels));
}

void warn_of_unread_caches(const comm::Communicator& comm, const deck::Deck& deck) {
  if (!deck.plan.file.empty()) return;  // The file may have kernels for any table.
  const planning::ComputeKernels fused = planning::ComputeKernel::fused;
  const planning::ComputeKernels& shared = deck.plan.kernel.empty() ? fused : deck.plan.kernel;
  deck::TableKernels kernels;
  if (deck.tables.empty()) kernels[""] = shared;  // Tables of the data, which are not known yet.
  for (const auto& table : deck.tables) kernels[table.name] = shared;
  for (const auto& [name, constraints] : deck.plan.tables)
    kernels[name] = constraints.kernel.empty() ? shared : constraints.kernel;
  warn(comm, deck::unread_caches(deck, kernels));
}

}  // namespace tesserec::app
