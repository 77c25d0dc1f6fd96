// SPDX-License-Identifier: Apache-2.0
// A program that exits with 0 if standard input is exactly one JSON object.
#include <iostream>
#include <iterator>

#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>

int main() try {
  tesserec::parse_json({std::istreambuf_iterator<char>(std::cin), {}}).names();
  return 0;
} catch (const tesserec::Error& error) {
  std::cerr << "not one JSON object: " << error.what() << '\n';
  return 1;
}
