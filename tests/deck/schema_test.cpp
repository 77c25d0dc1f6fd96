// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "source_dir.hpp"
#include <tesserec/deck.hpp>

using namespace tesserec;

TEST_CASE("describe_markdown: returns the text of docs/deck.md") {
  std::ifstream file(std::string(TESSEREC_SOURCE_DIR) + "/docs/deck.md");
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  INFO("write it anew: build/tesserec describe --markdown > docs/deck.md");
  CHECK(text.str() == deck::describe_markdown());
}

TEST_CASE("schema: describes every key in full and once") {
  std::set<std::string> seen;
  for (const deck::BlockInfo& block : deck::schema()) {
    CHECK_FALSE(block.sentence.empty());
    for (const deck::KeyInfo& key : block.keys) {
      INFO(block.path << "." << key.name);
      CHECK(seen.insert(block.path + "." + key.name).second);
      CHECK_FALSE(key.type.empty());
      CHECK_FALSE(key.default_value.empty());
      REQUIRE_FALSE(key.sentence.empty());
      CHECK(key.sentence.back() == '.');
      CHECK(deck::describe_text().find("  " + key.name + ": " + key.type) != std::string::npos);
    }
  }
  CHECK(seen.count("train.batch_size") == 1);
}

TEST_CASE("schema: the defaults of train.batch_size and model.top are those of the structs") {
  for (const deck::BlockInfo& block : deck::schema())
    for (const deck::KeyInfo& key : block.keys) {
      if (block.path == "train" && key.name == "batch_size")
        CHECK(key.default_value == std::to_string(train::Settings{}.batch_size));
      if (block.path == "model" && key.name == "top") CHECK(key.default_value == "[512, 256, 1]");
    }
}
