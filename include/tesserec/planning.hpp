// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/planning/cost_model.hpp>
#include <tesserec/planning/id_frequencies.hpp>
#include <tesserec/planning/machine.hpp>
#include <tesserec/planning/plan.hpp>
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/planning/plan_text.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/planning/settings.hpp>
#include <tesserec/planning/table_costs.hpp>
#include <tesserec/planning/topology.hpp>
