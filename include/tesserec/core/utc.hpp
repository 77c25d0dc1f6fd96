// SPDX-License-Identifier: Apache-2.0
/// Points in time as text, in UTC.
#pragma once

#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// Returns a date, in days since 1970: "2014-10-21".
std::string date_text(Index date);

/// Returns a time, in microseconds since 1970, to the second: "2014-10-21 09:08:07".
std::string instant_text(Index instant);

}  // namespace tesserec
