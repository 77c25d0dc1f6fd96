// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/model/dense_cost.hpp>
#include <tesserec/model/lane_losses.hpp>
#include <tesserec/model/model_types.hpp>
#include <tesserec/model/network.hpp>
#include <tesserec/model/settings.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/model/smaller_tables.hpp>
