// SPDX-License-Identifier: Apache-2.0
#pragma once

/// train: the training of a model by a job, with its evaluations, checkpoints and scores.
///
/// A `Job` is a deck as a struct: its members have the names of blocks and keys. `open_source` opens the data. A
/// `Session` builds the model on all ranks, and a `Training` is one run of that model: `step`, `evaluate`, `save`. Its
/// `finish` saves, evaluates and returns the `TrainResult`. The loop of the program is `train::train`.
/// A training locks its run's folder and resumes from the newest checkpoint there, on any number of ranks.
/// These calls are collective: every rank makes them in the same order, from the thread that called `comm::run`.
/// Session, sources and observers must outlive the training. The example in docs/library.md adds an `Observer`.
/// Collective calls throw the same Error on all ranks; a loss or gradient that is not finite throws `Diverged`.
/// `TrainStep`, `TrainPipelineSparseDist`, `save` and `load` train a model without a job.
/// docs/library.md, src/train/README.md and examples/train_loop.cpp say more.
///
/// ```cpp
/// train::Job job;
/// job.run.name = "clicks";  // the folder runs/clicks
/// job.data.train = {"data/train.h5"};
/// job.data.evaluate = {"data/evaluate.h5"};
/// const auto source = train::open_source(world, job, data::Use::train);
/// const auto held_out = train::open_source(world, job, data::Use::evaluate);
/// train::Session session(exec, world, job, source->info());
/// train::Training training(session, *source, held_out.get());
/// while (training.step())
///   if (training.is_due(1000)) training.evaluate();
/// const train::TrainResult result = training.finish();
/// if (world.rank() == 0 && result.evaluation) std::cout << "AUC " << result.evaluation->auc << std::endl;
/// ```

#include <tesserec/train/caches.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/gpu_share.hpp>
#include <tesserec/train/import_weights.hpp>
#include <tesserec/train/importance.hpp>
#include <tesserec/train/job.hpp>
#include <tesserec/train/job_end.hpp>
#include <tesserec/train/metrics_log.hpp>
#include <tesserec/train/mlperf_log.hpp>
#include <tesserec/train/model_state.hpp>
#include <tesserec/train/observer.hpp>
#include <tesserec/train/pipeline.hpp>
#include <tesserec/train/run_length.hpp>
#include <tesserec/train/running_metrics.hpp>
#include <tesserec/train/scores_file.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/settings.hpp>
#include <tesserec/train/step.hpp>
#include <tesserec/train/table_figures.hpp>
#include <tesserec/train/table_state.hpp>
#include <tesserec/train/tables.hpp>
#include <tesserec/train/task_scales.hpp>
#include <tesserec/train/train_result.hpp>
#include <tesserec/train/trained_data.hpp>
#include <tesserec/train/trainer.hpp>
#include <tesserec/train/training.hpp>
