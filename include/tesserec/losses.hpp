// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/losses/check_gradient.hpp>
#include <tesserec/losses/loss_settings.hpp>
#include <tesserec/losses/loss_types.hpp>
