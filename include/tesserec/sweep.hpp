// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/sweep/halving.hpp>
#include <tesserec/sweep/importance.hpp>
#include <tesserec/sweep/metric.hpp>
#include <tesserec/sweep/points.hpp>
#include <tesserec/sweep/record.hpp>
#include <tesserec/sweep/settings.hpp>
#include <tesserec/sweep/sweep.hpp>
