// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/gpu_share.hpp>
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
#include <tesserec/train/train_result.hpp>
#include <tesserec/train/trained_data.hpp>
#include <tesserec/train/trainer.hpp>
#include <tesserec/train/training.hpp>
