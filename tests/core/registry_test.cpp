// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/registry.hpp>

using namespace tesserec;

TEST_CASE("Registry: finds types by name in their order and throws on a second type of one name") {
  struct Kind {
    std::string name;
    int number = 0;
    std::vector<OwnKey> own = {};
  };
  Registry<Kind> kinds("kind", {{"one", 1}, {"two", 2}});
  kinds.add({"three", 3});
  CHECK(kinds.at("three").number == 3);
  CHECK(kinds.all()[0].number == 1);
  CHECK(error_of([&] { kinds.add({"two", 4}); }) == "there is already a kind \"two\"; choose another name");
  CHECK(error_of([&] { kinds.at("four"); }) == "there is no kind \"four\"; use one of: one, two, three");
}
