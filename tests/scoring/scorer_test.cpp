// SPDX-License-Identifier: Apache-2.0
// Scorer against the trained model, bit by bit, for several kinds of tables and layers, from checkpoints and folders.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "trained.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/scoring/open_folder.hpp>
#include <tesserec/scoring/scorer.hpp>
#include <tesserec/scoring/scoring_context.hpp>
#include <tesserec/scoring/served_model.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>

using namespace tesserec;

namespace {

constexpr const char* dlrm = "bottom = [8, 4]\ntop = [8, 1]\n";
using scoring::ServedFormat;

/// Copies a model folder with its rows widened to fp32. Returns the copy's path.
std::string widened(const std::string& folder) {
  const std::string to = folder + "_widened";
  std::filesystem::copy(folder, to);
  scoring::ModelManifest manifest = scoring::read_model_manifest(folder);
  for (scoring::FolderTable& table : manifest.tables) {
    const std::string bytes = read_file(folder + "/" + table.file.name), path = to + "/" + table.file.name;
    std::vector<float> numbers(table.rows * table.dim);
    scoring::read_rows(table.format, table.rows, table.dim, reinterpret_cast<const std::byte*>(bytes.data()),
                       numbers.data());
    store::write_verified(path, std::as_bytes(std::span(numbers)));
    const store::FileChecksum written = store::file_checksum(path);
    table.format = ServedFormat::fp32;
    table.file.bytes = written.bytes;
    table.file.checksum = written.checksum;
  }
  store::write_verified(to + "/manifest.json", scoring::model_manifest_text(manifest));
  scoring::verify_model_folder(to);
  return to;
}

/// Replaces a byte of a file.
void change_byte(const std::string& path, std::size_t at) {
  std::string bytes = read_file(path);
  bytes.at(at) = char(bytes[at] + 1);
  store::write_verified(path, bytes);
}

void compare(const std::string& model, const std::string& tables = "") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "scoring");
  Trained trained(folder, model, tables);
  const scoring::Scorer scorer(trained.exec, trained.checkpoint());
  CHECK(scorer.step() == 3);
  CHECK(scorer.dense_features() == 3);
  const auto exported = [&](ServedFormat format) {
    const std::string to = folder.path() + "/model_" + name(format);
    scoring::export_model(trained.exec, trained.checkpoint(), to, format);
    return to;
  };
  const scoring::Scorer mapped(trained.exec, exported(ServedFormat::fp32));
  const std::string coded = exported(ServedFormat::int8), halved = exported(ServedFormat::int4);
  const scoring::Scorer int8(trained.exec, coded), widened_int8(trained.exec, widened(coded));
  const scoring::Scorer int4(trained.exec, halved), widened_int4(trained.exec, widened(halved));
  Index samples = 0;
  trained.each_batch([&](const data::Batch& batch, const std::vector<float>& probabilities) {
    const Matrix<float> dense(batch.dense.data(), batch.size, 3);  // a smaller batch keeps the capacity of the others
    CHECK(scorer.predict(trained.exec, dense, batch.sparse) == probabilities);
    CHECK(mapped.predict(trained.exec, dense, batch.sparse) == probabilities);
    const std::vector<float> rounded = int8.predict(trained.exec, dense, batch.sparse);
    CHECK(rounded != probabilities);
    CHECK(rounded == widened_int8.predict(trained.exec, dense, batch.sparse));
    CHECK(int4.predict(trained.exec, dense, batch.sparse) == widened_int4.predict(trained.exec, dense, batch.sparse));
    samples += batch.size;
  });
  CHECK(samples == 300);
}

}  // namespace

TEST_CASE("Scorer: probabilities are the trained model's") {
  compare(dlrm);
  compare(std::string(dlrm) + "exchange_forward = \"bf16\"\n",
          "[[table]]\nname = \"C1\"\n"
          "[[table]]\nname = \"others\"\nfeatures = [\"C2\", \"C3\"]\npooling = \"mean\"\n");
  compare(std::string(dlrm) + "qr_collisions = 4\nqr_threshold = 40\nqr_operation = \"concat\"\n");
  compare(std::string(dlrm) + "md_temperature = 0.3\nmd_threshold = 8\n");
  compare(std::string(dlrm) + "table_format = \"bf16\"\n",
          "[[table]]\nname = \"C1\"\nformat = \"fp16\"\n[[table]]\nname = \"C2\"\n[[table]]\nname = \"C3\"\n");
  compare("type = \"din\"\nitem = [\"pooled.C1\"]\nhistory = [\"unpooled.C3\"]\nexchange_forward = \"fp16\"\n",
          "[[table]]\nname = \"C1\"\nfeatures = [\"C1\", \"C3\"]\nunpooled = [\"C3\"]\n[[table]]\nname = \"C2\"\n");
}

TEST_CASE("Scorer: throws with what is wrong with a checkpoint or a batch") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "scoring");
  Trained trained(folder, dlrm, "");
  const std::string none = folder.path() + "/none";
  CHECK(error_of([&] { scoring::Scorer(trained.exec, none); }) == none + ": there is no such checkpoint folder");
  const scoring::Scorer scorer(trained.exec, trained.checkpoint());
  CHECK(scorer.features() == std::vector<std::string>{"C1", "C2", "C3"});
  const auto says = [&](Index rows, Index columns, const std::vector<std::string>& features) {
    const Matrix<float> dense = make_matrix<float>(trained.exec, "dense", rows, columns);
    std::vector<jagged::JaggedTensor> bags(features.size(), jagged::from_list(trained.exec, {{1}, {}}));
    return error_of([&] {
      scorer.predict(trained.exec, dense, jagged::KeyedJaggedTensor::from_jagged(trained.exec, features, bags));
    });
  };
  CHECK(says(2, 3, {"C3", "C2", "C1", "other"}).empty());
  CHECK(says(2, 3, {"C1", "C3"}) == "table C2: feature \"C2\" is not in the batch, which has C1, C3");
  CHECK(says(2, 4, scorer.features()) == "the batch has 4 dense features per sample, but the model takes 3");
  CHECK(says(3, 3, scorer.features()) ==
        "the batch has ids of 2 samples, but dense features of 3; give both for the same samples");
}

TEST_CASE("Scorer: throws for a batch with a number or an offset that cannot be") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "scoring");
  Trained trained(folder, dlrm, "[[table]]\nname = \"C1\"\n");
  const std::string to = folder.path() + "/weighted";
  scoring::ModelManifest manifest = scoring::export_model(trained.exec, trained.checkpoint(), to, ServedFormat::fp32);
  const scoring::ServedModel unweighted(trained.exec, to);
  std::string& deck = manifest.facts.deck;  // the planted model has no weights, so the deck gets them afterwards
  deck.replace(deck.find("weighted = false"), 16, "weighted = true");
  store::write_verified(to + "/manifest.json", scoring::model_manifest_text(manifest));
  const scoring::ServedModel model(trained.exec, to);
  CHECK(model.ids(0) == 50);
  CHECK(model.weighted(0));
  scoring::ScoringContext context(model);
  std::vector<float> dense(6), weights = {1, 1}, scores(2);
  std::vector<Index> offsets = {0, 1, 2}, ids = {4, 49};
  const auto says = [&](bool weighted = true) {
    const std::vector<scoring::ScoredBags> bags{{offsets.data(), ids.data(), weighted ? weights.data() : nullptr}};
    return error_of(
        [&] { context.score({.samples = 2, .dense = dense.data(), .sparse = bags, .first = 10}, scores.data()); });
  };
  CHECK(says().empty());
  const std::vector<scoring::ScoredBags> plain{{offsets.data(), ids.data(), nullptr}};
  std::vector<float> of_plain(2);
  scoring::ScoringContext(unweighted).score({.samples = 2, .dense = dense.data(), .sparse = plain}, of_plain.data());
  CHECK(scores == of_plain);
  weights = {1, 0.5};
  CHECK(says().empty());
  CHECK(scores[0] == of_plain[0]);
  CHECK(scores[1] != of_plain[1]);
  CHECK(says(false) == "table C1 is weighted, but the batch has no weights for feature \"C1\"; add weights");
  ids[1] = 50;
  CHECK(says() == "feature C1, sample 11: id 50 is outside table C1 of 50 rows");
  ids[1] = -1;
  CHECK(says() == "feature C1, sample 11: id -1 is outside table C1 of 50 rows");
  ids[1] = 0;
  offsets = {0, 2, 1};
  CHECK(says() == "feature C1, sample 11: offset 1 follows 2; offsets must not decrease");
  offsets = {0, 1, 2};
  weights[1] = INFINITY;
  CHECK(says() == "feature C1: weight 1 (counted from 0) is not finite; give a number");
  weights[1] = 1;
  dense[4] = NAN;
  CHECK(says() == "sample 11: dense feature 1 is not finite; give the preprocessed number");
}

TEST_CASE("export_model: a folder scores in the precision that it names, one of version 1 in its deck's") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "scoring");
  Trained trained(folder, "bottom = [48, 4]\ntop = [64, 24, 1]\n", "");
  using products::Precision;
  const auto scores = [&](const std::string& of, std::optional<Precision> mlp, const std::string& deck_says,
                          const data::Batch& batch) {
    const std::string to = folder.path() + "/" + of;
    scoring::ModelManifest manifest =
        scoring::export_model(trained.exec, trained.checkpoint(), to, ServedFormat::fp32, mlp);
    if (!deck_says.empty()) {
      std::string& deck = manifest.facts.deck;
      deck.replace(deck.find("precision = \"fp32\""), 18, deck_says);
      manifest.mlp.reset();
      store::write_verified(to + "/manifest.json", scoring::model_manifest_text(manifest));
    }
    return scoring::Scorer(trained.exec, to).predict(trained.exec, batch.dense, batch.sparse);
  };
  bool is_first = true;
  trained.each_batch([&](const data::Batch& batch, const std::vector<float>& exact) {
    if (!std::exchange(is_first, false)) return;
    const std::vector<float> bf16 = scores("bf16", Precision::bf16, "", batch),
                             int8 = scores("int8", Precision::int8, "", batch);
    CHECK(scores("fp32", Precision::fp32, "", batch) == exact);
    CHECK(scores("default", {}, "", batch) == exact);
    CHECK(scores("deck", {}, "precision = \"bf16\"", batch) == bf16);
    CHECK(scores("tf32", {}, "precision = \"tf32\"", batch) == exact);
    for (const std::vector<float>* rounded : {&bf16, &int8}) {
      CHECK(*rounded != exact);
      for (std::size_t s = 0; s < exact.size(); ++s) CHECK(std::fabs((*rounded)[s] - exact[s]) < 5e-3f);
    }
    CHECK(bf16 != int8);
  });
}

TEST_CASE("export_model: throws for a folder that exists, and readers for one that was changed") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "scoring");
  Trained trained(folder, dlrm, "");
  const std::string to = folder.path() + "/new/model";
  const scoring::ModelManifest manifest =
      scoring::export_model(trained.exec, trained.checkpoint(), to, ServedFormat::int4);
  CHECK(manifest.tables.size() == 3);
  for (const scoring::FolderTable& table : manifest.tables) {
    CHECK(table.format == ServedFormat::int4);
    CHECK(table.errors.number > 0);
    CHECK(table.errors.row >= table.errors.number);
  }
  const auto exporting = [&](const std::string& path) {
    return error_of([&] { scoring::export_model(trained.exec, trained.checkpoint(), path, ServedFormat::fp32); });
  };
  CHECK(exporting(to + "/") == to + " exists; name another one with --to, or remove it");
  std::filesystem::create_directory(to + "2.tmp");
  CHECK(exporting(to + "2") == to + "2.tmp exists: another process is writing it, or was killed; wait, or remove it");
  const auto opening = [&] { return error_of([&] { scoring::Scorer(trained.exec, to); }); };
  CHECK(opening().empty());
  CHECK(scoring::OpenFolder(to).verify_rows([] { return false; }));
  const std::string rows = to + "/" + manifest.tables[1].file.name;
  change_byte(rows, 5);
  CHECK(mentions(error_of([&] { scoring::verify_model_folder(to); }), rows + " is damaged: its checksum is "));
  scoring::OpenFolder open(to);
  const auto never = [] { return false; };
  CHECK(mentions(error_of([&] { open.verify_rows(never); }), rows + " is damaged: its checksum is "));
  CHECK(!open.verify_rows([] { return true; }));
  std::filesystem::rename(rows, rows + ".old");
  CHECK(!open.verify_rows(never));
  CHECK(error_of([&] { open.look(); }) == "");
  std::filesystem::rename(rows + ".old", rows);
  std::filesystem::resize_file(rows, manifest.tables[1].file.bytes - 1);
  CHECK(error_of([&] { open.look(); }) ==
        rows + " was changed while it was served, so that scores may be of neither model; export to a new folder");
  CHECK(mentions(opening(), "the file is truncated or was replaced"));
  std::filesystem::resize_file(rows, manifest.tables[1].file.bytes);
  change_byte(to + "/network.f32", 17);
  CHECK(opening() ==
        to + "/network.f32 is damaged: it differs from its checksum in manifest.json; export the model again");
  std::filesystem::remove_all(folder.path() + "/new");
  std::filesystem::remove_all(to + "2.tmp");
  scoring::export_model(trained.exec, trained.checkpoint(), to, ServedFormat::fp32);
  std::string text = read_file(to + "/manifest.json");
  store::write_verified(to + "/manifest.json", text.replace(text.find("\"step\": 3"), 9, "\"step\": 4"));
  CHECK(opening() == to +
                         "/manifest.json is damaged or not the manifest of a model folder: its digest does not fit its "
                         "content");
}
