// SPDX-License-Identifier: Apache-2.0
// A program without MPI that scores with libraries of the project: the bytes of `tesserec predict`, no optimizer
// states in memory, and an error for a damaged checkpoint.
#include "driver/program.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <vector>

#include "catch.hpp"

using namespace tesserec::test;

namespace {

constexpr const char* deck_text = R"([run]
output = "@/run"
part_bytes = 16000000
[preprocess]
format = "table"
header = true
train = ["@/day.csv"]
output = "@/data"
column = [
  {name = "c*", kind = "category"},
  {name = "price", kind = "number", transform = "standardise"},
  {name = "y", kind = "label", positive = ["1"], negative = ["0"]},
]
[data]
train = ["@/data/train.h5"]
predict = ["@/data/train.h5"]
[optimizer.sparse]
type = "adam"
lr = 0.01
[model]
embedding_dim = 16
bottom = [8, 16]
top = [8, 1]
[[table]]
name = "c1"
rows = 500000
[[table]]
name = "c2"
[train]
batch_size = 64
lanes = 4
)";

std::string day(int values = 111) {
  std::string rows = "y,c1,c2,price\n";
  for (int i = 0; i < 1000; ++i)
    rows += std::to_string(i % 3 == 0) + "," + std::to_string(i * 7 % values) + "," + std::to_string(i % 5) + "," +
            std::to_string(i % 13) + "\n";
  return rows;
}

/// Returns the deck with ids of 64 bits in c1, in a table that grows.
std::string growing_deck() {
  std::string deck = deck_text;
  const auto replace = [&](const std::string& text, const std::string& by) {
    deck.replace(deck.find(text), text.size(), by);
  };
  replace("{name = \"c*\", kind = \"category\"}",
          "{name = \"c1\", kind = \"category\", ids = \"hashed\"},\n  {name = \"c2\", kind = \"category\"}");
  replace("rows = 500000", "rows = 1024\ngrowing = true\nadmit_after = 2\nunknown = \"start\"");
  return deck;
}

/// Replaces a byte in the middle of the last file of a checkpoint and returns the file's name.
std::string damage(const std::string& checkpoint) {
  std::vector<std::string> parts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(checkpoint))
    if (entry.path().extension() == ".h5") parts.push_back(entry.path().string());
  const std::string part = *std::max_element(parts.begin(), parts.end());
  std::fstream file(part, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(50000);
  file.put('x');
  return std::filesystem::path(part).filename().string();
}

}  // namespace

TEST_CASE("Scorer: a program without MPI gives the bytes of tesserec predict", "[scoring.scorer]") {
  const std::regex mpi("libmpi|libopen-|libpmix");
  const Outcome libraries = Program("LDD").run({std::getenv("SCORER")});
  INFO(libraries.out);
  REQUIRE(libraries.code == 0);
  CHECK(!std::regex_search(libraries.out, mpi));

  const TestFolder folder;
  const std::string deck = folder.write("deck.toml", deck_text);
  folder.write("day.csv", day());
  Program("TESSEREC").must_succeed("\"rows\": 1000", {"preprocess", deck, "--json"});
  const Program tesserec("TESSEREC", ranks_of_test());
  const Outcome trained = tesserec.must_succeed("\"steps\"", {"train", deck, "--json"});
  const std::string checkpoint = trained.value("checkpoint");
  tesserec.must_succeed("\"samples\": 1000", {"predict", deck, "--format", "csv", "--json"});
  const std::string scores = text_of_file(folder / "run/scores.csv");

  const Program scorer("SCORER");
  const Outcome scored = scorer.run({checkpoint, folder / "data/train.h5", "300"});
  INFO(scored.err);
  CHECK(scored.code == 0);
  CHECK(("score\n" + scored.out == scores));
  std::smatch found;  // weights are 32 MB; with the states of adam they would be 96
  REQUIRE(std::regex_search(scored.err, found, std::regex(", ([0-9]+) bytes resident at most")));
  CHECK(std::stod(found[1]) > 32e6);
  CHECK(std::stod(found[1]) < 90e6);

  // The same model as a folder: its rows are mapped, so that they are not resident when it is open.
  const double resident = std::stod(found[1]);
  const Program exporter("TESSEREC");
  const Outcome exported =
      exporter.must_succeed("\"step\"", {"export", folder / "run", "--to", folder / "model", "--json"});
  CHECK(exported.value("weights_digest") == trained.value("weights_digest"));
  const Outcome mapped = scorer.run({folder / "model", folder / "data/train.h5", "300"});
  INFO(mapped.err);
  CHECK(mapped.out == scored.out);
  REQUIRE(std::regex_search(mapped.err, found, std::regex(", ([0-9]+) bytes resident at most")));
  CHECK(std::stod(found[1]) < resident - 20e6);
  exporter.must_succeed("\"whole\": true", {"verify", folder / "model", "--json"});
  exporter.must_fail("model exists; name another one with --to",
                     {"export", checkpoint, "--to", folder / "model", "--rows", "int8"});
  exporter.must_fail("needs --to PATH", {"export", checkpoint});
  const Outcome small =
      exporter.must_succeed("int4", {"export", checkpoint, "--to", folder / "int4", "--rows", "int4", "--json"});
  CHECK(std::stod(small.value("bytes")) < 0.2 * std::stod(exported.value("bytes")));

  // A disk that is full, as the limit of a file's size says it.
  const Outcome full = Program("BASH").run(
      {"-c", "ulimit -f 2000; exec \"$TESSEREC\" export '" + checkpoint + "' --to '" + (folder / "full") + "'"});
  CHECK(full.code == 2);
  CHECK(std::regex_search(full.err, std::regex("table_0000.rows: cannot write it: File too large")));
  CHECK(!std::filesystem::exists(folder / "full"));
  CHECK(!std::filesystem::exists(folder / "full.tmp"));

  const std::string part = damage(checkpoint);
  exporter.must_fail(part + " is damaged", {"export", checkpoint, "--to", folder / "damaged"});
  CHECK(!std::filesystem::exists(folder / "damaged.tmp"));
  const Outcome refused = scorer.run({checkpoint, folder / "data/train.h5"});
  CHECK(refused.code == 2);
  CHECK(std::regex_search(refused.err, std::regex("^scorer: .*" + part + " is damaged")));
  CHECK(refused.out.empty());
}

TEST_CASE("Scorer: checkpoints and folders of tables that grow give the bytes of tesserec predict",
          "[scoring.scorer]") {
  const TestFolder folder;
  const std::string deck = folder.write("deck.toml", growing_deck());
  folder.write("day.csv", day(293));
  Program("TESSEREC").must_succeed("\"rows\": 1000", {"preprocess", deck, "--json"});
  std::string digest, one_rank;
  for (const int ranks : {1, ranks_of_test()}) {
    INFO(ranks << " ranks");
    const Program tesserec("TESSEREC", ranks);
    const std::vector<std::string> run{"--set", "run.output=" + (folder / ("run" + std::to_string(ranks)))};
    const auto with_run = [&](std::vector<std::string> words) {
      words.insert(words.end(), run.begin(), run.end());
      return words;
    };
    const Outcome trained = tesserec.must_succeed("\"evicted\"", with_run({"train", deck, "--json"}));
    CHECK(std::stod(trained.value("evicted")) > 0);
    tesserec.must_succeed("\"samples\": 1000", with_run({"predict", deck, "--format", "csv", "--json"}));
    const std::string scores = text_of_file(folder / ("run" + std::to_string(ranks) + "/scores.csv"));
    if (digest.empty()) digest = trained.value("weights_digest");
    if (one_rank.empty()) one_rank = scores;
    CHECK(trained.value("weights_digest") == digest);
    CHECK(scores == one_rank);

    const Program scorer("SCORER"), alone("TESSEREC");
    const std::string data = folder / "data/train.h5", model = folder / ("model" + std::to_string(ranks));
    CHECK(("score\n" + scorer.run({trained.value("checkpoint"), data, "300"}).out == scores));
    const Outcome exported =
        alone.must_succeed("\"step\"", {"export", trained.value("checkpoint"), "--to", model, "--json"});
    CHECK(exported.value("weights_digest") == digest);
    CHECK(("score\n" + scorer.run({model, data, "300"}).out == scores));
    alone.must_succeed("\"whole\": true", {"verify", model, "--json"});
    std::fstream ids(model + "/table_0000.ids", std::ios::in | std::ios::out | std::ios::binary);
    ids.seekp(-1, std::ios::end);
    ids.put('x');
    ids.close();
    alone.must_fail("table_0000.ids is damaged", {"verify", model});
  }
}
