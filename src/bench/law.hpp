// SPDX-License-Identifier: Apache-2.0
/// What the reduction law costs: a step's tables and its dense half, by the law and without any order, in turns.
#pragma once

#include "drawn.hpp"
#include <tesserec/bench/report.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::bench {

/// Group "law", and Report::law_cost. Moves the session's tables. Collective. Errors: UnorderedTables'; threads.
void measure_law(const Context& context, train::Session& session, const Drawn& drawn, Report& report);

}  // namespace tesserec::bench
