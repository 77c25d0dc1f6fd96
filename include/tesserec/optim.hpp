// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/optim/dense_optimizer.hpp>
#include <tesserec/optim/optimizer.hpp>
#include <tesserec/optim/row_rules.hpp>
#include <tesserec/optim/rules.hpp>
#include <tesserec/optim/schedule.hpp>
