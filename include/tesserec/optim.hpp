// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/optim/dense_optimizer.hpp>
#include <tesserec/optim/optimizer.hpp>
#include <tesserec/optim/schedule.hpp>
