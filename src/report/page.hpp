// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tesserec::report {

/// A whole HTML page, in XHTML's syntax, with its style sheet: light or dark as the reader has it, light in print.
std::string html_page(const std::string& title, const std::string& body);

}  // namespace tesserec::report
