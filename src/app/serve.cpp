// SPDX-License-Identifier: Apache-2.0
// Command `tesserec serve`: answers requests for scores by HTTP until a signal ends it.
#include "command.hpp"
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/serve/program.hpp>

namespace tesserec::app {

int serve_model(const Invocation& invocation, const comm::Communicator& comm) {
  require_one_rank(invocation, comm);
  require_gpu();
  const Kokkos::ScopeGuard kokkos;
  return serve::run(Exec(), {.folder = invocation.deck, .options = invocation.options, .json = invocation.json});
}

}  // namespace tesserec::app
