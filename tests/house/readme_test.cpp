// SPDX-License-Identifier: Apache-2.0
// The commands in README.md, and the lists in docs/features.md of choices and of missing features, against the program.
#include <algorithm>
#include <cctype>
#include <set>

#include "catch.hpp"
#include "page.hpp"

using namespace page;

namespace {

const std::string readme = text_of(root + "/README.md");
const std::string features = text_of(root + "/docs/features.md");

std::set<std::string> choices(const tesserec::deck::KeyInfo& key) {
  const std::vector<std::string> names = choices_of(key);
  return {names.begin(), names.end()};
}

/// Returns the first words of the names in src/app/commands.cpp: {"train", "...
std::set<std::string> commands() {
  const std::string text = text_of(root + "/src/app/commands.cpp");
  std::set<std::string> found;
  for (std::size_t at = text.find("table = {"); (at = text.find("\n      {\"", at)) != std::string::npos;) {
    at += 9;
    found.insert(text.substr(at, text.find_first_of("\" ", at) - at));
  }
  return found;
}

std::set<std::string> after(const std::string& text, const std::string& program) {
  std::set<std::string> found;
  for (std::size_t at = 0; (at = text.find(program, at)) != std::string::npos;) {
    at += program.size();
    std::size_t end = at;
    while (end < text.size() && std::islower(static_cast<unsigned char>(text[end]))) ++end;
    if (end > at) found.insert(text.substr(at, end - at));
  }
  return found;
}

}  // namespace

TEST_CASE("features.md: its table of choices has every choice of its keys and no other") {
  std::istringstream lines(features.substr(0, features.find("\n## ")));
  std::set<std::string> keys;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| ", 0) != 0 || line.find('`') == std::string::npos) continue;
    INFO(line);
    const auto row = cells(line);
    REQUIRE(row.size() == 3);
    const std::string path = words(row[1]).at(0);
    const auto* const key = key_info(path);
    REQUIRE(key != nullptr);
    const auto listed = words(row[2]);
    CHECK(std::set<std::string>(listed.begin(), listed.end()) == choices(*key));
    CHECK(keys.insert(path).second);
  }
  for (const std::string needed : {"model.type", "model.interaction", "model.loss", "optimizer.sparse.type",
                                   "optimizer.dense.type", "table.pooling", "plan.default", "plan.tables.NAME.kernel",
                                   "data.synthetic.kind", "preprocess.format", "evaluate.metrics"}) {
    INFO(needed);
    CHECK(keys.count(needed) == 1);
  }
}

TEST_CASE("README.md: shows every command and no other") {
  const auto all = commands();
  REQUIRE(all.size() >= 9);
  REQUIRE(all.count("train") == 1);
  CHECK(after(readme, "build/tesserec ") == all);
}

TEST_CASE("features.md: the names that it calls missing are missing") {
  std::string text = section(features, "## What is not there yet");
  REQUIRE_FALSE(text.empty());
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return std::isalnum(c) || c == '`' ? static_cast<char>(std::tolower(c)) : c == '-' || c == '_' ? '_' : ' ';
  });
  std::set<std::string> there = commands();
  for (const auto& block : tesserec::deck::schema())
    for (const auto& key : block.keys)
      for (const std::string& choice : choices(key)) there.insert(choice);
  REQUIRE(there.count("column_wise") == 1);
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const bool is_name = word.find('`') != std::string::npos || word.find('_') != std::string::npos;
    word.erase(std::remove(word.begin(), word.end(), '`'), word.end());
    INFO(word);
    if (is_name) CHECK(there.count(word) == 0);
  }
}
