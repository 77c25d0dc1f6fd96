// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/metrics/binary.hpp>
#include <tesserec/metrics/candidates.hpp>
#include <tesserec/metrics/fixed_point.hpp>
#include <tesserec/metrics/groups.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/metrics/sample_sums.hpp>
#include <tesserec/metrics/score_bins.hpp>
#include <tesserec/metrics/settings.hpp>
