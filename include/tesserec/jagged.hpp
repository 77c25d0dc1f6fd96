// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/jagged/jagged_tensor.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/jagged/keyed_tensor.hpp>
