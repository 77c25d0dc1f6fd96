// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/model/dense_cost.hpp>
#include <tesserec/model/settings.hpp>
#include <tesserec/model/sharded_model.hpp>
