// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/device.hpp>
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/elementary_numbers.hpp>
#include <tesserec/core/elementary_parts.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/exact_sum.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/huge_pages.hpp>
#include <tesserec/core/index.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/kernels.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/not_finite.hpp>
#include <tesserec/core/phases.hpp>
#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/core/placed.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/core/tree.hpp>
#include <tesserec/core/tree_sum.hpp>
