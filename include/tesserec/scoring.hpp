// SPDX-License-Identifier: Apache-2.0
#pragma once

/// scoring: the scores of a trained model in one process, without MPI.
///
/// A `Scorer` opens a checkpoint, or a model folder that `export_model` wrote, and `predict` scores a batch.
/// `features` and `dense_features` say which columns a batch must have.
/// The scores have the bits of `tesserec predict`. They do not depend on the other samples of the batch.
/// Ids and dense numbers are those of the preprocessed data: ids of its vocabulary, and transformed numbers.
/// The program starts Kokkos (`Kokkos::ScopeGuard`, or `comm::run` without MPI), and the scorer must not outlive it.
/// Only one thread at a time may call `predict`; its loops run on the threads of `exec`. Threads of your own share a
/// `ServedModel`, each with a `ScoringContext`.
/// The constructor throws Error for a damaged checkpoint, and `predict` for a batch that does not fit the model.
/// A model with types of its own needs them added before. src/scoring/README.md and docs/library.md say more.
///
/// ```cpp
/// const scoring::Scorer scorer(exec, "runs/clicks/checkpoints/step_000001000");
/// if (scorer.dense_names() != std::vector<std::string>{"price", "hour"}) fail("the model has other columns");
/// std::vector<float> numbers = {0.5f, -1.2f, 0.1f, 0.7f};  // prices and hours of two samples
/// const Matrix<float> dense(numbers.data(), 2, scorer.dense_features());
/// const auto sparse = jagged::KeyedJaggedTensor::from_dense(exec, {"user", "items"}, {{{7}, {8}}, {{1, 2}, {}}});
/// const std::vector<float> probabilities = scorer.predict(exec, dense, sparse);
/// if (probabilities[0] > probabilities[1]) std::cout << "the first sample has the higher score" << std::endl;
/// ```

#include <tesserec/scoring/export_model.hpp>
#include <tesserec/scoring/export_tensors.hpp>
#include <tesserec/scoring/id_rows.hpp>
#include <tesserec/scoring/live_model.hpp>
#include <tesserec/scoring/model_delta.hpp>
#include <tesserec/scoring/model_folder.hpp>
#include <tesserec/scoring/open_folder.hpp>
#include <tesserec/scoring/owned_samples.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
#include <tesserec/scoring/row_format.hpp>
#include <tesserec/scoring/run_follower.hpp>
#include <tesserec/scoring/scorer.hpp>
#include <tesserec/scoring/scoring_context.hpp>
#include <tesserec/scoring/served_model.hpp>
#include <tesserec/scoring/vocabulary_file.hpp>
