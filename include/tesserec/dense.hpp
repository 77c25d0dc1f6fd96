// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/dense/activation.hpp>
#include <tesserec/dense/check_gradient.hpp>
#include <tesserec/dense/device_products.hpp>
#include <tesserec/dense/instruction_set.hpp>
#include <tesserec/dense/layer.hpp>
#include <tesserec/dense/layer_settings.hpp>
#include <tesserec/dense/layer_types.hpp>
#include <tesserec/dense/loss_settings.hpp>
#include <tesserec/dense/loss_types.hpp>
#include <tesserec/dense/mlp.hpp>
#include <tesserec/dense/precision.hpp>
#include <tesserec/dense/products.hpp>
#include <tesserec/dense/rows.hpp>
