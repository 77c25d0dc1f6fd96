// SPDX-License-Identifier: Apache-2.0
// The C library as its users see it: a program in C and the example in Python give the same scores, without MPI,
// without allocations after the first call, and with a message for a folder that is no model.
#include "driver/program.hpp"

#include <regex>

#include "catch.hpp"

using namespace tesserec::test;

namespace {

constexpr const char* deck_text = R"([run]
output = "@/run"
[data.synthetic]
kind = "planted"
samples = 600
evaluate_samples = 64
rows = [50, 7, 900]
ids_per_bag = 3
dense_features = 3
[train]
batch_size = 64
steps = 4
[model]
embedding_dim = 8
bottom = [16, 8]
top = [16, 1]
)";

/// Returns the deck with ids of 64 bits, in tables that grow.
std::string growing_deck() {
  std::string deck = deck_text;
  deck.replace(deck.find("@/run"), 5, "@/grown");
  deck.replace(deck.find("ids_per_bag"), 0, "hashed = true\n");
  for (const char* const table : {"C1", "C2", "C3"})
    deck += std::string("[[table]]\nname = \"") + table + "\"\ngrowing = true\nrows = 1100\nunknown = " +
            (table == std::string("C2") ? "\"zeros\"\n" : "\"start\"\n");
  return deck;
}

}  // namespace

TEST_CASE("C library: scores from C and from Python, without MPI and without allocations", "[predict.c]") {
  const Outcome libraries = Program("LDD").run({std::getenv("PREDICT_C")});
  INFO(libraries.out);
  REQUIRE(libraries.code == 0);
  CHECK(std::regex_search(libraries.out, std::regex("libtesserec_predict\\.so")));
  CHECK(!std::regex_search(libraries.out, std::regex("libmpi|libopen-|libpmix")));
  const Outcome symbols = Program("NM").run({"-D", "--defined-only", std::getenv("TESSEREC_PREDICT")});
  REQUIRE(symbols.code == 0);
  const std::regex symbol(" [A-Za-z] (\\S+)");
  for (std::sregex_iterator at(symbols.out.begin(), symbols.out.end(), symbol), end; at != end; ++at) {
    INFO((*at)[1].str());
    CHECK((*at)[1].str().starts_with("tesserec_"));
  }

  const TestFolder folder;
  const std::string deck = folder.write("deck.toml", deck_text);
  const Program tesserec("TESSEREC"), in_c("PREDICT_C");
  tesserec.must_succeed("\"steps\": 4", {"train", deck, "--json"});
  const std::string grown = folder.write("grown.toml", growing_deck());
  tesserec.must_succeed("\"steps\": 4", {"train", grown, "--json"});
  for (const std::string run : {"run", "grown"})
    for (const std::string rows : {"fp32", "fp16", "int8", "int4", "int2"}) {
      INFO(run << " " << rows);
      const std::string to = folder / run + "_" + rows;
      tesserec.must_succeed(rows, {"export", folder / run, "--to", to, "--rows", rows, "--json"});
      const Outcome scored = in_c.run({to, "300"});
      INFO(scored.err);
      CHECK(scored.code == 0);
      CHECK(std::count(scored.out.begin(), scored.out.end(), '\n') == 300);
      const Outcome by_python = Program("PYTHON").run({std::getenv("EXAMPLE"), to, "300"});
      INFO(by_python.err);
      CHECK(by_python.code == 0);
      CHECK(by_python.out == scored.out);
    }
  const Outcome refused = in_c.run({folder / "run"});
  CHECK(refused.code == 2);
  CHECK(std::regex_search(refused.err, std::regex("tesserec_open: .*/run: this is no model folder; write one with")));
}
