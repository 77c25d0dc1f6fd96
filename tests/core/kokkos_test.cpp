// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/kokkos.hpp>

using namespace tesserec;

TEST_CASE("parallel_for: rethrows an exception after all iterations and works afterwards") {
  const Exec exec;
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<int> ran(100, 0);
    const auto launch = [&](bool fails) {
      std::fill(ran.begin(), ran.end(), 0);
      parallel_for(exec, "tesserec::test::launch", 100, [&](Index i) {
        ran[static_cast<std::size_t>(i)] = 1;
        if (fails && i % 10 == 3) throw std::bad_alloc();
      });
    };
    REQUIRE_THROWS_AS(launch(true), std::bad_alloc);
    REQUIRE(std::count(ran.begin(), ran.end(), 1) == 100);
    REQUIRE_NOTHROW(launch(false));
    REQUIRE(std::count(ran.begin(), ran.end(), 1) == 100);
  }
}

TEST_CASE("FirstException: keeps the first exception of several threads whole") {
  for (int repeat = 0; repeat < 50; ++repeat) {
    FirstException first;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&first, t] {
        for (int i = 0; i < 20; ++i)
          first.guard([&] {
            if (t % 2 == 0) throw std::runtime_error("thread " + std::to_string(t));
          });
      });
    for (std::thread& thread : threads) thread.join();
    std::string text;
    try {
      first.rethrow();
    } catch (const std::runtime_error& error) {
      text = error.what();
    }
    REQUIRE(text.size() == 8);
    REQUIRE(std::string("0246").find(text.back()) != std::string::npos);
  }
  REQUIRE_NOTHROW(FirstException().rethrow());
}
