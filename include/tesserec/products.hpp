// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/products/device_products.hpp>
#include <tesserec/products/dots.hpp>
#include <tesserec/products/instruction_set.hpp>
#include <tesserec/products/packed_linear.hpp>
#include <tesserec/products/precision.hpp>
#include <tesserec/products/products.hpp>
