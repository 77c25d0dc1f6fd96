// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/layers/activation.hpp>
#include <tesserec/layers/check_gradient.hpp>
#include <tesserec/layers/layer.hpp>
#include <tesserec/layers/layer_settings.hpp>
#include <tesserec/layers/layer_types.hpp>
#include <tesserec/layers/mlp.hpp>
