// SPDX-License-Identifier: Apache-2.0
// Models whose inputs raw values cannot make, or not from the data set that is there.
#include <filesystem>

#include "raw_job.hpp"
#include <tesserec/core/timer.hpp>
#include <tesserec/preprocess/write_log.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/store/parted_file.hpp>

using namespace tesserec;

namespace {

/// Features of the model of raw_deck().
const std::vector<scoring::ServedFeature> features = {{"user"},      {"tags", true}, {"age"},
                                                      {"when_hour"}, {"item"},       {"user_age"}};

/// The job of raw_deck(), and sets written from its data.
struct WrittenJob {
  explicit WrittenJob(const std::string& name) : folder(world, name) {
    std::filesystem::create_directories(path());
    job = std::make_unique<RawJob>(path(), raw_rows(300, "u", 1), raw_rows(50, "new", 2), raw_deck(path()));
    manifest = exported("/model", "");
  }
  const std::string& path() const { return folder.path(); }
  scoring::ModelManifest exported(const std::string& to, const std::string& vocabulary) const {
    return scoring::export_model(job->trained->exec, job->trained->checkpoint(), path() + to,
                                 scoring::ServedFormat::fp32, {}, vocabulary);
  }
  /// Returns the reason that raw values are refused after a change of the deck.
  std::string reason(const std::string& text, const std::string& other) const {
    scoring::TrainedFacts facts = scoring::read_model_manifest(path() + "/model").facts;
    facts.deck = raw_deck(path());
    REQUIRE(scoring::raw_vocabularies(facts, features).size() == 5);  // all but the hashed one
    facts.deck.replace(facts.deck.find(text), text.size(), other);
    return error_of([&] { scoring::raw_vocabularies(facts, features); });
  }

  const comm::Communicator world{MPI_COMM_WORLD};
  const Folder folder;
  std::unique_ptr<RawJob> job;
  scoring::ModelManifest manifest;
};

/// Writes the training samples of a data set to a new folder.
std::string written(const std::string& folder, const data::Settings& settings) {
  const comm::Communicator world(MPI_COMM_WORLD);
  const preprocess::LogSource source{
      "train", [&](const data::Deal& deal) { return data::make_source(settings, data::Use::train, deal); }};
  preprocess::write_logs(Exec(), world, {.folder = folder, .form = preprocess::LogForm::hdf5, .seed = 5}, {source});
  return folder + "/train.h5";
}

}  // namespace

TEST_CASE("raw values: a training on bags that were made of the ids takes none") {
  const WrittenJob job("raw_refusals1");
  CHECK(mentions(job.reason("[data]\n", "[data]\nmulti_hot_sizes = [2, 1, 1, 1, 1, 1]\n"), "data.multi_hot_sizes"));
  CHECK(job.reason("[data]\n", "[data]\nmulti_hot_sizes = []\n") == "");

  const std::string path = job.path() + "/simple";
  std::filesystem::create_directories(path);
  RawTable table{{"y", "a"}, {}};
  for (Index r = 0; r < 50; ++r) table.rows.push_back({r % 3 == 0 ? "1" : "0", "a" + std::to_string(r % 7)});
  table.write(path + "/train.csv");
  preprocess::run(job.world, deck::parse_deck("[preprocess]\nformat = \"table\"\nheader = true\ntrain = \"" + path +
                                                  "/train.csv\"\noutput = \"" + path + "/data\"\n" + R"(
column = [{name = "y", kind = "label", threshold = 1}, {name = "a", kind = "category"}])",
                                              "deck")
                                 .preprocess);
  data::Settings settings;
  settings.train = {path + "/data/train.h5"};
  const auto has_digest = [&](const std::string& folder) {
    return store::PartedFile::open(written(folder, settings)).index().has_attribute("/", "vocabulary_digest");
  };
  CHECK(has_digest(path + "/plain"));
  settings.multi_hot_sizes = {3};
  CHECK_FALSE(has_digest(path + "/bags"));
}

TEST_CASE("raw values: texts that all samples share are read once, or not too often") {
  const WrittenJob job("raw_refusals2");
  const scoring::RawInputs raw(job.path() + "/model", job.manifest, features);
  std::string tags = "t1";
  for (Index t = 0; t < 200000; ++t) tags += "|t1";
  std::string user(1 << 20, 'u');
  const Index samples = 5000;
  const std::vector<Index> none(samples + 1, 0), of_tags = {0, std::ssize(tags)}, of_user = {0, std::ssize(user)};
  std::vector<scoring::RawTexts> texts;
  for (const scoring::RawColumn& column : raw.columns())
    if (column.name == "tags")
      texts.push_back({tags.data(), of_tags.data(), true});
    else if (column.name == "user")
      texts.push_back({user.data(), of_user.data(), true});
    else
      texts.push_back({"", none.data(), column.name != "item"});
  scoring::OwnedSamples all;
  scoring::RawCounts counts;
  const Timer timer;
  raw.encode(samples, texts, all, counts);
  CHECK(timer.seconds() < 3);  // 1e9 values if each sample reads the tags
  CHECK(counts.missing == std::vector<Index>{samples, samples, 0, 0, samples, samples, samples});
  CHECK(counts.values.at(1) == 2);  // max_values
  CHECK(all.sparse.at(4).offsets.size() == std::size_t(samples) + 1);
  for (std::size_t c = 0; c < texts.size(); ++c)
    if (raw.columns()[c].name == "age") texts[c].shared = false;  // The cross of user and age has a value a sample.
  CHECK(mentions(error_of([&] { raw.encode(samples, texts, all, counts); }), "score fewer samples at a time"));
  raw.encode(2, texts, all, counts);
  CHECK_FALSE(all.sparse.at(5).shared);
}

TEST_CASE("export_model: a set that was written from preprocessed data has no vocabulary to export") {
  const WrittenJob job("raw_refusals3");
  data::Settings settings;
  settings.train = {job.path() + "/data/train.h5"};
  const std::string copy = written(job.path() + "/written", settings);
  CHECK(mentions(error_of([&] { job.exported("/refused", copy); }), "but not the values"));
  std::filesystem::rename(settings.train[0], job.path() + "/moved.h5");
  std::filesystem::rename(copy, settings.train[0]);
  const scoring::ModelManifest without = job.exported("/without", "");
  CHECK_FALSE(without.raw.has_value());
  CHECK(mentions(without.no_raw, "--vocabulary"));
  CHECK(job.exported("/named", job.path() + "/moved.h5").raw.has_value());
}

TEST_CASE("raw values: sequences of made items take none") {
  const WrittenJob job("raw_refusals4");
  const auto reason = [&](const std::string& item) {
    return job.reason("[data]\n", "[[preprocess.sequence]]\nname = \"item\"\nuser = \"user\"\nitem = \"" + item +
                                      "\"\ntime = \"when\"\nlength = 3\n[data]\n");
  };
  for (const char* item : {"user_age", "age", "when_hour"})
    CHECK(mentions(reason(item), concat("its items, of ", item, ", are no texts of a column but made")));
}

TEST_CASE("export_model: a vocabulary that no feature needs is refused") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "raw_refusals5");
  const std::string& path = folder.path();
  std::filesystem::create_directories(path);
  RawTable table{{"y", "a", "n"}, {}};
  for (Index r = 0; r < 200; ++r)
    table.rows.push_back({r % 3 == 0 ? "1" : "0", "a" + std::to_string(r % 7), std::to_string(r)});
  const std::string deck =
      "[run]\noutput = \"" + path + "/run\"\n[preprocess]\nformat = \"table\"\nheader = true\ntrain = \"" + path +
      "/train.csv\"\nevaluate = \"" + path + "/evaluate.csv\"\noutput = \"" + path + "/data\"\n" + R"(
column = [{name = "y", kind = "label", threshold = 1}, {name = "n", kind = "number"},
  {name = "a", kind = "category", ids = "hashed", max_rows = 50}]
)" + "[data]\ntrain = \"" +
      path + "/data/train.h5\"\nevaluate = \"" + path + "/data/evaluate.h5\"\n" + R"(
[train]
batch_size = 64
steps = 2
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
)";
  const RawJob job(path, table, table, deck);
  const auto exported = [&](const std::string& vocabulary) {
    return scoring::export_model(job.trained->exec, job.trained->checkpoint(), path + "/model",
                                 scoring::ServedFormat::fp32, {}, vocabulary);
  };
  CHECK(mentions(error_of([&] { exported("no_such_file.h5"); }), "leave --vocabulary out"));
  CHECK(exported("").raw.has_value());
}
