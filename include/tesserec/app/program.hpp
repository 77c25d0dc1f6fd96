// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec::app {

/// Runs the whole program for a `main`. Starts and ends MPI, and Kokkos for commands that compute. A deck can name
/// types that were added before (network::add_model_type, layers::add_layer_type, losses::add_loss_type,
/// data::add_source_type). Returns the exit code.
int run(int argc, char** argv);

}  // namespace tesserec::app
