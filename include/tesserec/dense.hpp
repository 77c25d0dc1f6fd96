// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/dense/interaction.hpp>
#include <tesserec/dense/loss.hpp>
#include <tesserec/dense/matrix_library.hpp>
#include <tesserec/dense/mlp.hpp>
#include <tesserec/dense/weight_gradient.hpp>
