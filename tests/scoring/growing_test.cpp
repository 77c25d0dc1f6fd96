// SPDX-License-Identifier: Apache-2.0
// Tables that grow, served from checkpoints, model folders and deltas: the bits of training while ids come and go.
#include <cstring>
#include <filesystem>

#include "scoring/followed_run.hpp"
#include "scoring/growing_deck.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/scoring/export_tensors.hpp>
#include <tesserec/scoring/scorer.hpp>
#include <tesserec/store/disk.hpp>

using namespace tesserec;
using scoring::ServedFormat;

namespace {

std::string followed_deck(const Folder& folder) { return growing_deck(folder, 20, 3); }

/// Returns the rows of a dataset of a delta, 0 if it is missing.
Index rows_of(const std::string& delta, const std::string& dataset) {
  const store::StateRecords datasets = store::read_manifest(delta).datasets;
  const auto found = datasets.find(dataset);
  return found == datasets.end() ? 0 : found->second.rows;
}

}  // namespace

TEST_CASE("growing tables: checkpoints and model folders score with the bits of training") {
  FollowedRun run("growing_scores", followed_deck);
  run.step(7);
  const std::string checkpoint = run.save();
  const std::vector<float> trained = run.trained();
  const scoring::ServedModel opened(run.exec(), checkpoint);
  CHECK(run.served(opened) == trained);
  CHECK(opened.ids(0) == std::numeric_limits<Index>::max());
  const std::string to = run.path() + "/model", coded = run.path() + "/int8";
  const scoring::ModelManifest manifest = scoring::export_model(run.exec(), checkpoint, to, ServedFormat::fp32);
  REQUIRE(manifest.tables.size() == 2);
  CHECK(manifest.tables[0].rows > 500);
  CHECK(manifest.tables[0].rows < 1100);
  REQUIRE(manifest.tables[0].ids.has_value());
  CHECK(manifest.tables[0].ids->bytes == scoring::id_rows_bytes(manifest.tables[0].rows));
  scoring::verify_model_folder(to);
  const scoring::ServedModel mapped(run.exec(), to);
  CHECK(run.served(mapped) == trained);
  scoring::export_model(run.exec(), checkpoint, coded, ServedFormat::int8);
  const std::vector<float> rounded = run.served(scoring::ServedModel(run.exec(), coded));
  CHECK(rounded != trained);
  CHECK(rounded == run.served(scoring::ServedModel(run.exec(), checkpoint, ServedFormat::int8)));
  for (std::size_t s = 0; s < trained.size(); ++s) CHECK(std::abs(rounded[s] - trained[s]) < 0.05f);

  // The ids that have no row count: their start values, and zeros in a mean.
  Index unknown = 0;
  run.each_batch([&](const data::Batch& batch, const std::vector<float>&) {
    std::vector<Index> rows(std::size_t(batch.sparse.values.extent(0)));
    mapped.tables()[0].ids->find({batch.sparse.values.data(), rows.size()}, rows.data());
    unknown += std::ranges::count(rows, scoring::IdRows::none);
  });
  CHECK(unknown > 300);

  const std::string damaged = coded + "/" + manifest.tables[0].ids->name;
  std::fstream(damaged, std::ios::in | std::ios::out | std::ios::binary).put('x');
  CHECK(
      mentions(error_of([&] { scoring::ServedModel(run.exec(), coded); }), damaged + " is damaged: its checksum is "));

  // The ids of a folder's table in the order of its rows, beside the same rows for other programs.
  const std::string tensors = run.path() + "/model.safetensors";
  scoring::export_tensors(run.exec(), checkpoint, tensors, scoring::TensorsForm::safetensors, ServedFormat::fp32);
  const std::string bytes = read_file(tensors);
  std::uint64_t head = 0;
  std::memcpy(&head, bytes.data(), sizeof head);
  const Json json = parse_json(bytes.substr(8, head));
  const Json& ids = json.at("tables.C1.ids");
  CHECK(ids.at("dtype").string() == "I64");
  REQUIRE(ids.at("shape").elements().size() == 1);
  const Index rows = ids.at("shape").elements()[0].integer();
  CHECK(rows == manifest.tables[0].rows);
  const auto at = [&](const std::string& tensor) {
    return bytes.data() + 8 + head + json.at(tensor).at("data_offsets").elements()[0].integer();
  };
  std::vector<Index> values(rows), found(rows);
  std::memcpy(values.data(), at("tables.C1.ids"), values.size() * sizeof(Index));
  mapped.tables()[0].ids->find(values, found.data());
  for (Index row = 0; row < rows; ++row) CHECK(found[std::size_t(row)] == row);
  CHECK(std::memcmp(mapped.tables()[0].rows, at("tables.C1.weight"), std::size_t(rows) * 4 * sizeof(float)) == 0);
  scoring::export_tensors(run.exec(), checkpoint, run.path() + "/arrays", scoring::TensorsForm::npy,
                          ServedFormat::fp32);
  CHECK(mentions(read_file(run.path() + "/arrays/tables.C1.ids.npy"),
                 concat("{'descr': '<i8', 'fortran_order': False, 'shape': (", rows, ",), }")));
}

TEST_CASE("growing tables: a server follows deltas, of which ids are admitted and evicted") {
  FollowedRun run("growing_follow", followed_deck);
  run.step();
  scoring::RunFollower follower(run.exec(), run.path(), {});
  CHECK(run.served(follower) == run.trained());
  Index evicted = 0;
  for (int s = 0; s < 6; ++s) {
    run.step();
    REQUIRE(follower.poll());
    const std::string delta = run.delta(follower.model().facts().step);
    CHECK(rows_of(delta, "tables/C1/ids") > 0);
    evicted += rows_of(delta, "tables/C1/evicted_ids");
    const std::vector<float> trained = run.trained();
    CHECK(run.served(follower) == trained);
    for (int copy = 0; copy < scoring::LiveModel::copies; ++copy)
      CHECK(run.served(follower.model().copy(copy)) == trained);
  }
  CHECK(evicted > 100);
  const scoring::RunFollower later(run.exec(), run.path(), {});  // reads the checkpoint and all deltas
  CHECK(later.figures().deltas == 7);
  run.save();
  run.step();
  REQUIRE(follower.poll());
  CHECK(run.served(follower) == run.trained());
  CHECK(follower.figures().refused == 0);
}

TEST_CASE("growing tables: a delta that does not fit changes nothing") {
  FollowedRun run("growing_refused", followed_deck);
  run.step(3);
  scoring::RunFollower follower(run.exec(), run.path(), {});
  const std::vector<float> whole = run.trained();
  run.step();
  const std::string delta = run.delta(5);
  const store::Manifest whole_manifest = store::read_manifest(delta);
  store::Manifest manifest = whole_manifest;
  REQUIRE(manifest.datasets.erase("tables/C1/evicted_ids") == 1);
  std::filesystem::remove(delta + "/manifest.json");
  store::write_verified(delta + "/manifest.json", store::manifest_text(manifest));
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == 1);
  CHECK(run.served(follower) == whole);

  // An evicted id of the second table that the model does not have: the first table has changed by then.
  std::filesystem::remove(delta + "/manifest.json");
  manifest = whole_manifest;
  store::write_verified(delta + "/manifest.json", store::manifest_text(manifest));
  scoring::LiveModel& live = follower.model();
  scoring::ModelDelta change = scoring::read_model_delta(run.exec(), delta, live.copy(0));
  REQUIRE(!change.tables[0].evicted.empty());
  change.tables[1].evicted.push_back(7);
  const auto apply = [&](scoring::ServedModel& model) { model.apply(run.exec(), change); };
  CHECK(mentions(error_of([&] { live.update(apply, true); }), "table others: id 7 has left, but the served model"));
  CHECK(run.served(follower) == whole);
  change.tables[1].evicted.pop_back();
  live.update(apply, true);
  for (int copy = 0; copy < scoring::LiveModel::copies; ++copy) CHECK(run.served(live.copy(copy)) == run.trained());
}

TEST_CASE("growing tables: another seed is another model where ids without a row read start values") {
  FollowedRun run("growing_seed", followed_deck);
  const Folder folder(run.world(), "growing_seed_other");
  const Trained other(growing_deck(folder, 3, 2));
  scoring::ServedModel model(run.exec(), run.path() + "/checkpoints/step_000000001");
  const store::OpenCheckpoint open = store::open_checkpoint(other.checkpoint());
  CHECK(scoring::model_difference(model.facts(), scoring::facts_of(open)) == "run.seed");

  // Rules by which rows come and go are of training alone; the model has what ids without a row read.
  const auto difference = [&](const std::string& from, const std::string& to) {
    scoring::TrainedFacts facts = model.facts();
    REQUIRE(facts.deck.find(from) != std::string::npos);
    facts.deck.replace(facts.deck.find(from), from.size(), to);
    return scoring::model_difference(model.facts(), facts);
  };
  CHECK(difference("admit_after = 2", "admit_after = 3").empty());
  CHECK(difference("eviction = \"lfu\"", "eviction = \"ttl\"\nttl = 7").empty());
  CHECK(difference("unknown = \"start\"", "unknown = \"zeros\"") == "run.seed");  // which zeros do not read
  CHECK(difference("rows = 1300", "rows = 1400") == "table.others.rows");
}
