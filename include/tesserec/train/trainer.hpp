// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/train/training.hpp>

namespace tesserec::train {

/// Trains to the end. Evaluates every evaluate.every_steps steps and saves every checkpoint.every_steps steps.
/// Collective.
TrainResult train(Training& training);

}  // namespace tesserec::train
