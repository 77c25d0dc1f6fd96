// SPDX-License-Identifier: Apache-2.0
// Training at the edge of sizes: more ranks than rows, empty bags, a table of one row, odd widths, one sample, labels
// of one class.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "app/samples.hpp"
#include "catch.hpp"

using namespace tesserec::test;

namespace {

const Arguments odd = {"--set", "data.synthetic.samples=7",
                       "--set", "data.synthetic.evaluate_samples=5",
                       "--set", "data.synthetic.rows=[1, 2, 5]",
                       "--set", "data.synthetic.dense_features=3",
                       "--set", "data.synthetic.ids_per_bag=2",
                       "--set", "data.synthetic.variable_bags=true",
                       "--set", "model.embedding_dim=3",
                       "--set", "model.bottom=[5, 3]",
                       "--set", "model.top=[7, 1]",
                       "--set", "train.batch_size=3"};

/// Trains from the start and returns both digests.
std::pair<std::string, std::string> digests(const TestFolder& folder, const std::string& deck, int ranks,
                                            const Arguments& more) {
  std::filesystem::remove_all(folder / "run");
  const Outcome outcome =
      Program("TESSEREC", ranks).with(odd).with(more).must_succeed("weights_digest", {"train", deck, "--json"});
  CHECK(nlohmann::json::accept(outcome.out));
  return {outcome.value("weights_digest"), outcome.value("state_digest")};
}

}  // namespace

TEST_CASE("train: several ranks train odd sizes to the digests of one rank", "[app.odd_sizes.ranks3]") {
  const TestFolder folder;
  const std::string deck = planted_deck(folder);
  const Arguments last = {"--set", "plan.default=data_parallel", "--set", "optimizer.sparse.type=adam",
                          "--set", "model.interaction=cat"};
  for (const Arguments& more :
       {Arguments{}, Arguments{"--set", "data.synthetic.samples=1"},
        Arguments{"--set", "data.synthetic.rows=[1]", "--set", "plan.default=row_wise", "--set", "model.itself=true"},
        last})
    CHECK(digests(folder, deck, ranks_of_test(), more) == digests(folder, deck, 1, more));

  // An undefined metric is null, here with five samples of one class.
  const Outcome outcome = Program("TESSEREC", ranks_of_test())
                              .with(odd)
                              .with(last)
                              .must_succeed("\"auc\": null", {"evaluate", deck, "--json"});
  CHECK(nlohmann::json::accept(outcome.out));
  CHECK(outcome.err.find("auc undefined") != std::string::npos);
}
