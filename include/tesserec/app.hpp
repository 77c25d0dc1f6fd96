// SPDX-License-Identifier: Apache-2.0
#pragma once

/// app: the whole program as a library, for a `main` that adds types of its own.
///
/// `run` reads the command line, starts MPI and Kokkos where the command needs them, runs the command and ends both.
/// Every command of the program is there: train, evaluate, predict, preprocess, plan, sweep, report and the others.
/// Types are added before the call: `layers::add_layer_type`, `losses::add_loss_type`, `network::add_model_type` and
/// `data::add_source_type`. Decks can then name them, and `tesserec describe` shows their keys.
/// `main` calls `run` once on every rank, and MPI and Kokkos must not have been started. No other thread may use MPI.
/// `run` throws nothing: it prints the message of an Error once and returns the exit code, 0 if all ranks succeeded.
/// The code is 2 after an Error, 85 for a run that a signal ended with a checkpoint, else 128 + N after signal N.
/// A program with a loop of its own uses `comm::run` and the library train instead.
/// docs/own_model.md is a whole program, and src/app/README.md says how a run ends.
///
/// ```cpp
/// struct Program {
///   static int main(int argc, char** argv) {
///     // layers::add_layer_type({.name = "bounded", ...}) and its like stand here, before the call.
///     const int code = app::run(argc, argv);
///     if (code == 85) std::cerr << "a signal ended the run; the same command resumes it" << std::endl;
///     return code;
///   }
/// };
/// ```

#include <tesserec/app/program.hpp>
