// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec::app {

/// The whole program: all of its commands, for the command line of a `main`. What that has added before
/// (model::add_model_type, dense::add_layer_type, dense::add_loss_type) a deck can name. Starts and ends MPI, and
/// Kokkos where a command computes. Returns the exit code.
int run(int argc, char** argv);

}  // namespace tesserec::app
