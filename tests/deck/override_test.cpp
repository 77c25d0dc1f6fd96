// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "decks.hpp"
#include "errors.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/deck.hpp>

using namespace tesserec;

namespace {

deck::Deck with(const std::vector<std::string>& overrides) {
  return deck::parse_deck(test::full_deck, "d.toml", overrides);
}

std::string message_of(const std::vector<std::string>& overrides, const std::string& text = test::full_deck) {
  return error_of([&] { deck::parse_deck(text, "d.toml", overrides); });
}

}  // namespace

TEST_CASE("parse_deck: --set reaches every kind of key") {
  CHECK(with({"train.batch_size=128"}).train.batch_size == 128);
  CHECK(with({"train.batch_size = 128"}).train.batch_size == 128);
  CHECK(with({"train.batch_size=1", "train.batch_size=2"}).train.batch_size == 2);
  CHECK(with({"checkpoint.keep=3"}).checkpoint.keep == 3);
  CHECK(with({"optimizer.sparse.lr=1e-2"}).optimizer.sparse.lr == 0.01);
  CHECK(with({"optimizer.sparse={type=\"sgd\",lr=2}"}).optimizer.sparse.lr == 2.0);
  CHECK(with({"table.first.rows=5"}).tables[0].num_embeddings == 5);
  CHECK(with({"table.1.rows=6"}).tables[1].num_embeddings == 6);
  CHECK(with({"table.\"second.x\".rows=7"}).tables[1].num_embeddings == 7);
  CHECK(with({"table.first.optimizer.lr=9"}).tables[0].optimizer->lr == 9.0);
  CHECK(with({"table.\"second.x\".optimizer.lr=9"}).tables[1].optimizer->lr == 9.0);
  CHECK(with({"plan.tables.first.ranks=[2]"}).plan.tables.at("first").ranks == std::vector<int>{2});
  CHECK(with({"plan.tables.first={sharding=\"row_wise\"}"}).plan.tables.at("first").ranks.empty());
  CHECK(with({"preprocess.column.job.kind=skip", "preprocess.column.age.kind=category",
              "preprocess.column.age.transform=none"})
            .preprocess.columns[1]
            .kind == preprocess::ColumnKind::skip);
  CHECK(with({"model.bottom.0=99"}).model.bottom == std::vector<Index>{99, 8});
  CHECK(with({"data.synthetic.rows=[4]"}).data.synthetic.rows == std::vector<Index>{4});
  CHECK(with({"train.shuffle=false"}).train.shuffle == false);
}

TEST_CASE("parse_deck: bytes may have a unit") {
  const auto part_bytes = [](const std::string& value) {
    return with({concat("run.part_bytes=", value)}).run.part_bytes;
  };
  CHECK(part_bytes("1000") == 1000);
  CHECK(part_bytes("\"1000B\"") == 1000);
  CHECK(part_bytes("2 kB") == 2000);
  CHECK(part_bytes("2MB") == 2'000'000);
  CHECK(part_bytes("1.5 GB") == 1'500'000'000);
  CHECK(part_bytes("3 TB") == 3'000'000'000'000);
  CHECK(part_bytes("1.001 KiB") == 1025);
  CHECK(part_bytes("2 MiB") == 2 << 20);
  CHECK(part_bytes("\"0.5 GiB\"") == 1 << 29);
  CHECK(part_bytes("4TiB") == Index{1} << 42);
  CHECK(with({"plan.cache=2 KiB"}).plan.cache == 2048.0);
  CHECK(with({"plan.cache=0.25"}).plan.cache == 0.25);
  CHECK(with({"plan.costs.cached_bytes=1 MiB"}).plan.costs.cached_bytes == 1048576.0);
  const std::string must = "run.part_bytes must be a number of bytes or a text such as \"1 GiB\", at least 0, but is ";
  for (const char* const text :
       {"GiB", "1", "1  GiB", " 1 GiB", "1 GiB ", "1 gib", "1e3 MB", "-1 B", "9000000 TiB", "1 G", ""})
    CHECK(mentions(message_of({concat("run.part_bytes=\"", text, "\"")}), must));
  CHECK(mentions(message_of({"run.part_bytes=1.5"}), must + "the number 1.5"));
  CHECK(mentions(message_of({"train.batch_size=1 KiB"}), "train.batch_size must be an integer"));
  CHECK(mentions(message_of({"plan.cache=-1 B"}), "plan.cache must be a number of bytes"));
}

TEST_CASE("parse_deck: --set takes text without quotes") {
  CHECK(with({"run.name=other"}).run.name == "other");
  CHECK(with({"run.name=\"quo ted\""}).run.name == "quo ted");
  CHECK(with({"run.name=2024"}).run.name == "2024");
  CHECK(with({"run.name=007"}).run.name == "007");
  CHECK(with({"run.name=2024-01-01"}).run.name == "2024-01-01");
  CHECK(with({"run.name=true"}).run.name == "true");
  CHECK(with({"run.output=/tmp/a=b"}).run.output == "/tmp/a=b");
  CHECK(with({"run.output=\"\""}).run.output.empty());
  CHECK(with({"plan.default=auto"}).plan.default_type == std::nullopt);
  CHECK(with({"data.synthetic.kind=none", "data.train=a/*.h5"}).data.train == std::vector<std::string>{"a/*.h5"});
  CHECK(with({"data.synthetic.kind=none", "data.train=5"}).data.train == std::vector<std::string>{"5"});
}

TEST_CASE("parse_deck: a bad --set throws with its number") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> bad = {
      {"train.bach_size=1", {"--set 1: train.bach_size is unknown", "did you mean train.batch_size?"}},
      {"train.batch_size", {"--set 1: ", "has no '='"}},
      {"train.batch_size=", {"--set 1: train.batch_size has no value"}},
      {"=5", {"--set 1: ", "is not a key"}},
      {"train..x=5", {"--set 1: ", "is not a key"}},
      {"\"train.x=5", {"--set 1: ", "quote"}},
      {"nothing=5", {"--set 1: nothing is unknown"}},
      {"train=5", {"--set 1: train must be a block"}},
      {"train.batch_size=abc", {"--set 1: train.batch_size must be an integer", "the text \"abc\""}},
      {"train.batch_size=1.5", {"--set 1: train.batch_size must be an integer"}},
      {"train.batch_size=0", {"--set 1: train.batch_size must be an integer, 1 to"}},
      {"train.batch_size.deep=1", {"--set 1: train.batch_size is the integer 64, so it has no key deep"}},
      {"train.lanes=99999999999999999999", {"--set 1: train.lanes"}},
      {"model.bottom=[16, 8", {"--set 1: [16, 8 is not valid TOML"}},
      {"plan.kernel=[fused, disk]",
       {"--set 1: [fused, disk] is not valid TOML", "; texts in a list need quotes, as in '"}},
      {"model.bottom.7=8", {"--set 1: model.bottom has 2 entries, so there is no entry 7"}},
      {"table.frist.rows=5", {"--set 1: table has no \"frist\"", "did you mean table.first?"}},
      {"table.first.row=5", {"--set 1: table.first.row is unknown", "did you mean table.first.rows?"}},
      {"plan.tables.first.shard=row_wise", {"--set 1: plan.tables.first.shard is unknown"}},
      {"plan.tables.third.sharding=row_wise", {"--set 1: plan.tables.third: there is no table \"third\""}},
      {"optimizer.sparse.type=rowwise", {"--set 1: optimizer.sparse.type must be one of"}},
      {"model.embedding_dim=4", {"d.toml:33: model.bottom is 16-8", "model.embedding_dim = 4"}},
      {"train.epochs=1\nlanes=3", {"--set 1: train.epochs must be an integer"}},
  };
  for (const auto& [text, texts] : bad) {
    const std::string message = message_of({text});
    for (const std::string& expected : texts) {
      INFO(text << "\nmessage: " << message);
      CHECK(message.find(expected) != std::string::npos);
    }
  }
  CHECK(message_of({"run.seed=1", "run.sed=1"}).find("--set 2: run.sed is unknown; did you mean run.seed?") == 0);
  CHECK(message_of({"table.C1.rows=5"}, "[run]\n").find("--set 1: the deck has no [[table]]") == 0);
}
