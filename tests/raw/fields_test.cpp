// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/raw/fields.hpp>

using namespace tesserec;
using namespace tesserec::raw;

TEST_CASE("split: cuts records of any length at each delimiter") {
  const Random random(3, Purpose::test);
  for (Index length = 0; length < 300; ++length) {
    std::vector<std::string> wanted(1);
    for (Index i = 0; i < length; ++i) {
      if (random.below(6, length, i) == 0)
        wanted.emplace_back();
      else
        wanted.back() += "ab\0\x89x"[random.below(5, length, 1000 + i)];
    }
    std::string record = wanted.front();
    for (std::size_t i = 1; i < wanted.size(); ++i) record += '\t' + wanted[i];
    // A delimiter behind the record is none of its own.
    const std::string text = record + "\t\t\t";
    Fields fields;
    REQUIRE(split(std::string_view(text).substr(0, record.size()), {}, fields) == "");
    REQUIRE(std::vector<std::string>(fields.texts.begin(), fields.texts.end()) == wanted);
  }
}
