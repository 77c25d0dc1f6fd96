// SPDX-License-Identifier: Apache-2.0
// Scores of raw values of a column with quantiles, whose borders the model folder has.
#include <cstring>
#include <filesystem>

#include "raw_job.hpp"
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/scoring/model_folder.hpp>

using namespace tesserec;

TEST_CASE("RawInputs: quantiles have the borders of the training data") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "raw_quantiles");
  std::filesystem::create_directories(folder.path());
  const std::string buckets = "buckets = [18.0, 40.0, 65.0]";
  std::string deck = raw_deck(folder.path());
  REQUIRE(deck.find(buckets) != std::string::npos);
  deck.replace(deck.find(buckets), buckets.size(), "quantiles = 4");
  // Ages of the evaluation rows are ten times as high, so their own quantiles would be others.
  RawTable evaluate = raw_rows(300, "new", 2);
  for (std::vector<std::string>& row : evaluate.rows)
    if (std::string& age = row[evaluate.column("age")]; !age.empty() && age != "NA") age += "0";
  RawJob job(folder.path(), raw_rows(500, "u", 1), evaluate, deck);
  const Exec exec;
  const std::string to = folder.path() + "/model";
  const scoring::ModelManifest manifest =
      scoring::export_model(exec, job.trained->checkpoint(), to, scoring::ServedFormat::fp32);
  REQUIRE(manifest.no_raw == "");

  const auto stored = store::PartedFile::open(folder.path() + "/data/train.h5")
                          .index()
                          .attribute<std::vector<std::string>>("/", "borders");
  CHECK(std::count_if(stored.begin(), stored.end(), [](const std::string& text) { return text.starts_with("4: "); }) ==
        1);
  CHECK(manifest.facts.borders == stored);
  CHECK(scoring::read_model_manifest(to).facts.borders == stored);

  const scoring::ServedModel model(exec, to);
  scoring::RawCounts counts;
  const std::vector<float> scores = raw_scores(model, job.evaluated, counts);
  std::vector<float> expected;
  job.trained->each_batch([&](const data::Batch&, const std::vector<float>& some) {
    expected.insert(expected.end(), some.begin(), some.end());
  });
  REQUIRE(scores.size() == expected.size());
  CHECK(std::memcmp(scores.data(), expected.data(), scores.size() * sizeof(float)) == 0);

  // Other borders are another model.
  scoring::TrainedFacts other = manifest.facts;
  other.borders.back() = "4: 1 2 3";
  CHECK(scoring::model_difference(manifest.facts, manifest.facts) == "");
  CHECK(scoring::model_difference(manifest.facts, other) == "a border of quantiles");
}
