// SPDX-License-Identifier: Apache-2.0
#include <tesserec/train/trainer.hpp>

namespace tesserec::train {

TrainResult train(Training& training) {
  const Job& job = training.session().job;
  const Index evaluate_every = job.evaluate.every_steps, save_every = job.checkpoint.every_steps;
  if (training.is_due(evaluate_every) && training.lacks_evaluation()) training.evaluate();
  while (training.step()) {
    if (training.is_due(evaluate_every)) training.evaluate();
    if (training.is_due(save_every)) training.save();
  }
  return training.finish();
}

}  // namespace tesserec::train
