// SPDX-License-Identifier: Apache-2.0
// Mutations of a valid deck. Each is read or refused with an Error, and the effective deck of a read deck reads back
// the same.
#include "catch.hpp"
#include "tests/deck/decks.hpp"
#include "tests/fuzz/mutations.hpp"
#include "tests/fuzz/rounds.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/deck.hpp>

using namespace tesserec;

TEST_CASE("parse_deck: reads or refuses mutated decks") {
  std::mt19937 random(test::fuzz_seed(20240607));
  int read = 0, refused = 0;
  for (test::Rounds rounds(1000); rounds.next();) {
    const std::string text = test::mutate(test::full_deck, random);
    try {
      const deck::Deck d = deck::parse_deck(text, "fuzz.toml");
      const std::string effective = deck::effective_deck(d);
      if (deck::effective_deck(deck::parse_deck(effective, "again")) != effective) FAIL("round trip of:\n" << text);
      ++read;
    } catch (const Error& error) {
      if (std::string(error.what()).find("fuzz.toml") != 0) FAIL(error.what() << "\nin:\n" << text);
      ++refused;
    }
  }
  CHECK(read > 15);
  CHECK(refused > 300);
}

TEST_CASE("parse_deck: takes or refuses mutated overrides") {
  std::mt19937 random(test::fuzz_seed(99));
  const std::string seeds[] = {"table.first.rows=5", "optimizer.sparse={type=\"sgd\",lr=0.1}", "model.bottom=[16, 8]",
                               "plan.tables.\"second.x\".sharding=row_wise", "model.bottom.0=4"};
  int taken = 0, refused = 0;
  int i = 0;
  for (test::Rounds rounds(700); rounds.next(); ++i) {
    try {
      deck::parse_deck(test::full_deck, "fuzz.toml", {test::mutate(seeds[i % 5], random)});
      ++taken;
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(taken > 20);
  CHECK(refused > 500);
}
