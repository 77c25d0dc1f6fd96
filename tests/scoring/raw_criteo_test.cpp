// SPDX-License-Identifier: Apache-2.0
// Raw values of Criteo's format, which has its columns by place.
#include <cstring>
#include <filesystem>

#include "preprocess/raw_text.hpp"
#include "raw_job.hpp"
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/scoring/served_model.hpp>

using namespace tesserec;

TEST_CASE("RawInputs: rows of Criteo's format have the bits of the preprocessed rows") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "raw_criteo");
  const std::string path = folder.path();
  std::filesystem::create_directories(path);
  const std::string text = test::criteo_text(60, 4);
  std::ofstream(path + "/train.txt") << test::criteo_text(200, 3);
  std::ofstream(path + "/evaluate.txt") << text;
  const std::string deck = "[run]\noutput = \"" + path + "/run\"\n[preprocess]\ntrain = \"" + path +
                           "/train.txt\"\nevaluate = \"" + path + "/evaluate.txt\"\noutput = \"" + path +
                           "/data\"\nminimum_count = 2\nmax_unknown = 1.0\n[data]\ntrain = \"" + path +
                           "/data/train.h5\"\nevaluate = \"" + path + "/data/evaluate.h5\"\n" + R"(
[train]
batch_size = 64
steps = 4
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
[[table]]
name = "shared"
rows = 5000
features = ["C1", "C3"]
[[table]]
name = "C26"
)";
  preprocess::run(world, deck::parse_deck(deck, "deck").preprocess);
  Trained trained(deck);
  std::vector<float> expected;
  trained.each_batch([&](const data::Batch&, const std::vector<float>& some) {
    expected.insert(expected.end(), some.begin(), some.end());
  });
  scoring::export_model(trained.exec, trained.checkpoint(), path + "/model", scoring::ServedFormat::fp32);
  const scoring::ServedModel model(trained.exec, path + "/model");
  REQUIRE(model.raw() != nullptr);
  RawTable table;
  table.names.push_back("label");
  for (int k = 1; k <= 13; ++k) table.names.push_back("I" + std::to_string(k));
  for (int f = 1; f <= 26; ++f) table.names.push_back("C" + std::to_string(f));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string>& row = table.rows.emplace_back(1);
    for (const char c : line) {
      if (c == '\t')
        row.emplace_back();
      else
        row.back() += c;
    }
  }
  const ColumnTexts columns(*model.raw(), table);
  scoring::OwnedSamples samples;
  scoring::RawCounts counts;
  model.raw()->encode(60, columns.texts(), samples, counts);
  std::vector<float> scores(60);
  scoring::ScoringContext(model).score({.samples = 60, .dense = samples.dense.data(), .sparse = samples.bags()},
                                       scores.data());
  REQUIRE(expected.size() == scores.size());
  CHECK(std::memcmp(scores.data(), expected.data(), scores.size() * sizeof(float)) == 0);
}
