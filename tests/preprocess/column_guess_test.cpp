// SPDX-License-Identifier: Apache-2.0
// Kinds that --propose finds for columns.
#include <map>
#include <string>
#include <vector>

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
  CHECK(guess.column.time == "epoch");
  CHECK(guess.column.stored);
  CHECK(guess.column.parts == Column().parts);
  facts.type->text = "date32[day]";
  CHECK(guess_column(facts).column.parts == std::vector<std::string>{"weekday", "day"});
}

TEST_CASE("guess_column: a list of fractions is no category, and one of whole numbers is one") {
  const auto guess = [](const std::vector<std::string>& texts) {
    ColumnFacts facts = facts_of("vector", texts, {""});
    facts.type = {.text = "fixed_size_list<item: float>[2]", .list = true, .readable = true, .floats = true};
    facts.separator = '|';
    return guess_column(facts);
  };
  CHECK(guess({"0.25|1", "2|0.5"}).column.kind == ColumnKind::skip);
  CHECK(guess({"7|1", "2|5"}).column.kind == ColumnKind::category);
}

TEST_CASE("guess_column: a pattern that all texts have is the form of times") {
  const auto guess = [](const std::string& name, const std::vector<std::string>& texts) {
    return guess_column(facts_of(name, texts, {""}));
  };
  const std::map<std::string, std::vector<std::string>> forms = {
      {"%m/%d/%Y", {"01/02/2014", "10/21/2014", ""}},
      {"%d/%m/%Y %H:%M", {"01/02/2014 9:00", "21/10/2014 10:05"}},
      {"%d.%m.%Y", {"1.2.2014", "21.10.2014"}},
      {"%m/%d/%Y %I:%M:%S %p", {"1/2/2014 9:00:01 AM", "1/31/2014 12:00:00 PM"}},
      {"%d/%b/%Y:%H:%M:%S %z", {"21/Oct/2014:09:08:07 +0000", "22/Oct/2014:09:08:07 -0130"}},
      {"%Y%m%d", {"20141021", "20141102"}},
      {"%Y%m%d%H", {"2014102109", "2014110210"}},
      {"epoch_us", {"1413882487500000", "1413882487600000"}},
      {"epoch_ns", {"1413882487500000000", "1413882487600000000"}},
      {"iso", {"2014-10-21 09:08", "2014-10-22 10:08"}}};
  for (const auto& [form, texts] : forms) {
    const ColumnGuess found = guess("when", texts);
    INFO(form << ": " << found.reason);
    CHECK(found.column.kind == ColumnKind::time);
    CHECK(found.column.time == form);
    CHECK(found.column.stored == (texts.back() != ""));
    const bool days = form.find_first_of("HIe") == std::string::npos && form != "iso";
    CHECK(found.column.parts == (days ? std::vector<std::string>{"weekday", "day"} : Column().parts));
  }
  CHECK(guess("shipped", {"01/02/2014", "10/21/2014"}).column.kind == ColumnKind::time);
  for (const std::string name : {"amount", "shop"})
    CHECK(guess(name, {"20141021", "20141102"}).column.kind != ColumnKind::time);
  CHECK(guess("version", {"1.2.13", "2.10.11"}).column.kind == ColumnKind::category);
  CHECK(guess("day", {"1.2.13", "2.10.11", "31.1.12"}).column.time == "%d.%m.%y");
  for (const std::string other : {"2014102", "30141021", "201410211"})
    CHECK(guess("when", {"20141021", other}).column.kind != ColumnKind::time);
  CHECK(guess("when", {"01/02/2014", "10/21/2014", "21/10/2014"}).column.kind != ColumnKind::time);
  for (const std::string text : {"21/10/14", "22/01/05"})
    CHECK(guess("when", {text, "22/11/28"}).reason.find("\"%d/%m/%y\" or \"%y/%m/%d\"") != std::string::npos);
  CHECK(guess("hour", {"20120110", "20120111"}).column.time == "yymmddhh");
  for (const std::string other : {"20140230", "20140000"})
    CHECK(guess("date", {"20141021", other}).column.kind == ColumnKind::skip);
  CHECK(guess("time", {"637000000000000000", "637000000000000001"}).column.kind == ColumnKind::skip);
  CHECK(guess("time", {"1413882487500000000", "9000000000000000000"}).column.kind == ColumnKind::skip);
  const ColumnGuess either = guess("when", {"01/02/2014", "03/12/2014"});
  CHECK(either.column.kind == ColumnKind::skip);
  CHECK(either.reason.find("whether the form is \"%m/%d/%Y\" or \"%d/%m/%Y\"") != std::string::npos);
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
