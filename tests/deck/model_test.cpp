// SPDX-License-Identifier: Apache-2.0
// A deck's model as read without a job, compared with the model of the job.
#include <filesystem>

#include "catch.hpp"
#include "decks.hpp"
#include "other_values.hpp"
#include "source_dir.hpp"
#include <tesserec/schema.hpp>

using namespace tesserec;

namespace {

std::string text_of(const network::Settings& model, const std::vector<embedding::EmbeddingBagConfig>& tables) {
  std::string text = schema::write_keys(schema::model_keys(), model);
  schema::write_layers(model, text);
  schema::write_tables(tables, text);
  return text;
}

void check_same_model(const deck::Deck& job) {
  const schema::ModelDeck alone = schema::read_model(deck::effective_deck(job), "effective deck");
  CHECK(text_of(alone.model, alone.tables) == text_of(job.model, job.tables));
  CHECK(alone.model.layers == job.model.layers);
}

}  // namespace

TEST_CASE("read_model: reads the model of a job from its effective deck") {
  check_same_model(deck::parse_deck(test::full_deck, "full.toml"));
  for (const std::string& text : test::decks_with_every_block()) check_same_model(deck::parse_deck(text, "d.toml"));
}

TEST_CASE("read_model: reads the model of every deck in inputs/ from its effective deck") {
  const std::filesystem::path inputs = std::filesystem::path(TESSEREC_SOURCE_DIR) / "inputs";
  if (!std::filesystem::is_directory(inputs)) return;
  int decks = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(inputs)) {
    if (entry.path().extension() != ".toml") continue;
    INFO(entry.path().string());
    check_same_model(deck::read_deck(entry.path().string()));
    ++decks;
  }
  CHECK(decks > 5);
}

TEST_CASE("read_model: accepts every block and key of a job") {
  for (const deck::BlockInfo& block : deck::schema()) {
    const std::string head = block.path.substr(0, block.path.find('.'));
    INFO(head);
    if (head != "model" && head != "table" && head != "optimizer")
      CHECK_NOTHROW(schema::read_model("[" + head + "]\nany = 1\n", "d.toml"));
  }
}
