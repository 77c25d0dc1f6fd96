// SPDX-License-Identifier: Apache-2.0
/// Who makes which loss.
#pragma once

#include <tesserec/dense/loss_types.hpp>

namespace tesserec::dense {

std::unique_ptr<LossFunction> make_in_batch_softmax(const LossSettings& settings);

}  // namespace tesserec::dense
