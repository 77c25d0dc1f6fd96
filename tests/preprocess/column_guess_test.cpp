// SPDX-License-Identifier: Apache-2.0
// Kinds that --propose finds for columns.
#include "catch.hpp"
#include "src/preprocess/column_facts.hpp"

using namespace tesserec;
using namespace tesserec::preprocess;

TEST_CASE("guess_column: a timestamp of Parquet is a time of any year") {
  const std::vector<std::string> texts = {"-86400", "157766400.25", "915148800", "-86400"};  // 1969 to 1999
  ColumnFacts facts = facts_of("registered", texts, {""});
  CHECK(guess_column(facts).column.kind == ColumnKind::number);
  facts.type = {.text = "timestamp[us]"};
  facts.type->readable = true;
  const ColumnGuess guess = guess_column(facts);
  CHECK(guess.column.kind == ColumnKind::time);
  CHECK(guess.column.time == TimeForm::epoch);
  CHECK(guess.column.stored);
}

TEST_CASE("guess_label: takes all spellings of two values") {
  const ColumnFacts spelled = facts_of("bought", {"Yes", "no", "1.0", "FALSE", " y", "0"}, {""});
  ColumnGuess guess;
  REQUIRE(guess_label({spelled}, guess) == 0);
  CHECK(guess.column.positive == std::vector<std::string>{" y", "1.0", "Yes"});
  CHECK(guess.column.negative == std::vector<std::string>{"0", "FALSE", "no"});
  CHECK(guess_label({facts_of("bought", {"Yes", "yes", "1"}, {""})}, guess) == -1);
  CHECK(guess_label({facts_of("bought", {"Yes", "no", "2"}, {""})}, guess) == -1);
  CHECK(guess_label({facts_of("bought", {"Yes", "no", "1", ""}, {""})}, guess) == -1);
}
