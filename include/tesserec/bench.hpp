// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/bench/bench.hpp>
#include <tesserec/bench/report.hpp>
#include <tesserec/bench/settings.hpp>
