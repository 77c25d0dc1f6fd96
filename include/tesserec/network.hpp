// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/network/features.hpp>
#include <tesserec/network/lane_losses.hpp>
#include <tesserec/network/model_types.hpp>
#include <tesserec/network/network.hpp>
#include <tesserec/network/settings.hpp>
#include <tesserec/network/smaller_tables.hpp>
