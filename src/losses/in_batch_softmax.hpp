// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/losses/loss_types.hpp>

namespace tesserec::losses {

std::unique_ptr<LossFunction> make_in_batch_softmax(const LossSettings& settings);

}  // namespace tesserec::losses
