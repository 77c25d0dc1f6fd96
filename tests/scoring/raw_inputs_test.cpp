// SPDX-License-Identifier: Apache-2.0
// Scores of raw values beside those of the data set that preprocess makes of the same rows.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "raw_job.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/scoring/served_model.hpp>
#include <tesserec/scoring/vocabulary_file.hpp>

using namespace tesserec;

namespace {

std::vector<float> evaluated_scores(Trained& trained) {
  std::vector<float> scores;
  trained.each_batch([&](const data::Batch&, const std::vector<float>& some) {
    scores.insert(scores.end(), some.begin(), some.end());
  });
  return scores;
}

/// The job of raw_deck() and its model folder.
struct ServedRaw {
  explicit ServedRaw(const std::string& name)
      : folder(world, name),
        made(make_job(folder.path())),
        manifest(scoring::export_model(exec, made->trained->checkpoint(), to(), scoring::ServedFormat::fp32)) {}

  static std::unique_ptr<RawJob> make_job(const std::string& path) {
    std::filesystem::create_directories(path);
    return std::make_unique<RawJob>(path, raw_rows(500, "u", 1), raw_rows(300, "new", 2), raw_deck(path));
  }
  std::string to() const { return folder.path() + "/model"; }

  const Exec exec = Exec();
  const comm::Communicator world{MPI_COMM_WORLD};
  const Folder folder;
  std::unique_ptr<RawJob> made;
  scoring::ModelManifest manifest;
};

/// Returns a name for the folder of a test's job.
std::string test_folder() {
  static int number = 0;
  return "raw_inputs" + std::to_string(++number);
}

}  // namespace

TEST_CASE("RawInputs: scores of raw values have the bits of the preprocessed rows") {
  const ServedRaw served(test_folder());
  REQUIRE(served.manifest.no_raw == "");
  const scoring::ServedModel model(served.exec, served.to());
  REQUIRE(model.raw() != nullptr);
  std::vector<std::string> names;
  for (const scoring::RawColumn& column : model.raw()->columns()) names.push_back(column.name);
  CHECK(names == std::vector<std::string>{"price", "clicks", "user", "tags", "age", "when", "item"});

  scoring::RawCounts counts;
  const std::vector<float> scores = raw_scores(model, served.made->evaluated, counts);
  const std::vector<float> expected = evaluated_scores(*served.made->trained);
  REQUIRE(scores.size() == expected.size());
  CHECK(std::memcmp(scores.data(), expected.data(), scores.size() * sizeof(float)) == 0);
  std::set<float> distinct(scores.begin(), scores.end());
  CHECK(distinct.size() > 200);

  // The same counts as in the report of preprocess.
  const store::PartedFile file = store::PartedFile::open(served.folder.path() + "/data/evaluate.h5");
  const auto features = file.index().attribute<std::vector<std::string>>("/", "features");
  const auto unknown = file.index().attribute<std::vector<std::int64_t>>("/", "unknown_values");
  for (std::size_t f = 0; f < model.features().size(); ++f) {
    INFO(model.features()[f]);
    const auto at = std::find(features.begin(), features.end(), model.features()[f]) - features.begin();
    if (model.features()[f] != "tags") CHECK(counts.unknown.at(f) == unknown.at(std::size_t(at)));
  }
  CHECK(counts.unknown[0] > 10);
  const auto missing = file.index().attribute<std::vector<std::int64_t>>("/", "missing_numbers");
  CHECK(counts.missing[0] == missing[0]);
  CHECK(counts.missing[0] > 10);
}

TEST_CASE("RawInputs: sequences and joined columns and patterns have the bits of the preprocessed rows") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, test_folder());
  std::filesystem::create_directories(folder.path());
  RawTable all{{"n2", "n10", "c1", "c2", "who", "what", "at", "y", "history", "genre"}, {}};
  std::map<std::string, std::vector<std::string>> past;
  const auto genre_of = [](const std::string& what) {  // "" where the side table lacks the key
    return what.empty() || what == "i4" ? "" : "g" + std::to_string(what.size() + std::size_t(what.back() % 5));
  };
  for (Index r = 0; r < 600; ++r) {
    const std::string who = "w" + std::to_string(r * 7 % 23),
                      what = r % 13 == 0 ? "" : "i" + std::to_string(r * r % 41);
    std::vector<std::string>& items = past[who];
    const auto texts = [&](Index from) {
      return join(std::span(items).subspan(std::size_t(from)), scoring::item_separator);
    };
    all.rows.push_back({std::to_string(r % 9), r % 5 == 0 ? "NA" : "0." + std::to_string(r % 7),
                        "a" + std::to_string(r % 4), "b" + std::to_string(r % 6), who, what, std::to_string(1000 + r),
                        r % 3 == 0 ? "1" : "0", texts(std::max<Index>(0, std::ssize(items) - 5)), genre_of(what)});
    if (!what.empty()) items.push_back(what);
  }
  RawTable train{{all.names.begin(), all.names.end() - 2}, {}}, evaluate = all;
  for (std::size_t r = 0; r < 400; ++r) train.rows.push_back({all.rows[r].begin(), all.rows[r].end() - 2});
  evaluate.rows.erase(evaluate.rows.begin(), evaluate.rows.begin() + 400);
  RawTable written = evaluate;
  written.names.resize(train.names.size());
  for (std::vector<std::string>& row : written.rows) row.resize(train.names.size());
  RawTable things{{"what", "genre"}, {}};
  for (Index i = 0; i < 41; ++i)
    if (const std::string what = "i" + std::to_string(i); !genre_of(what).empty())
      things.rows.push_back({what, genre_of(what)});
  things.write(folder.path() + "/things.csv");
  const std::string deck = "[run]\noutput = \"" + folder.path() +
                           "/run\"\n[preprocess]\nformat = \"table\"\ntrain = \"" + folder.path() +
                           "/train.csv\"\nevaluate = \"" + folder.path() + "/evaluate.csv\"\noutput = \"" +
                           folder.path() + "/data\"\nheader = true\n" + R"(
column = [{name = "n*", kind = "number", transform = "log1p"}, {name = "c*", kind = "category"},
  {name = "who", kind = "key"}, {name = "what", kind = "category"}, {name = "at", kind = "time"}, {name = "genre", kind = "category"},
  {name = "y", kind = "label", positive = ["1"], negative = ["0"]}]
sequence = [{name = "history", user = "who", item = "what", time = "at", length = 3}]
join = [{on = "what", columns = "genre", file = ")" +
                           folder.path() + R"(/things.csv"}]
)" + "[data]\ntrain = \"" + folder.path() +
                           "/data/train.h5\"\nevaluate = \"" + folder.path() + "/data/evaluate.h5\"\n" + R"(
[train]
batch_size = 64
steps = 4
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
)";
  RawJob job(folder.path(), train, written, deck);
  scoring::export_model(job.trained->exec, job.trained->checkpoint(), folder.path() + "/model",
                        scoring::ServedFormat::fp32);
  const scoring::ServedModel model(job.trained->exec, folder.path() + "/model");
  REQUIRE(model.raw() != nullptr);
  scoring::RawCounts counts;
  const std::vector<float> scores = raw_scores(model, evaluate, counts), expected = evaluated_scores(*job.trained);
  REQUIRE(scores.size() == expected.size());
  CHECK(std::memcmp(scores.data(), expected.data(), scores.size() * sizeof(float)) == 0);
}

TEST_CASE("RawInputs: texts that all samples share give the scores of repeated ones") {
  const ServedRaw served(test_folder());
  const scoring::ServedModel model(served.exec, served.to());
  RawTable one, many;
  one.names = many.names = served.made->evaluated.names;
  one.rows = {served.made->evaluated.rows[0]};
  for (std::size_t r = 0; r < 5; ++r) {
    many.rows.push_back(one.rows[0]);
    for (const char* own : {"item", "age"})
      many.rows.back()[many.column(own)] = served.made->evaluated.rows[r][many.column(own)];
  }
  scoring::RawCounts counts;
  const std::vector<float> expected = raw_scores(model, many, counts);
  const ColumnTexts users(*model.raw(), one), items(*model.raw(), many);
  std::vector<scoring::RawTexts> texts = users.texts();
  for (std::size_t c = 0; c < texts.size(); ++c) {
    texts[c].shared = true;
    if (const std::string& name = model.raw()->columns()[c].name; name == "item" || name == "age")
      texts[c] = items.texts()[c];
  }
  scoring::OwnedSamples samples;
  model.raw()->encode(5, texts, samples, counts);
  CHECK(samples.shared_dense);
  CHECK(samples.sparse[0].shared);        // user
  CHECK_FALSE(samples.sparse[5].shared);  // user x age
  std::vector<float> scores(5);
  scoring::ScoringContext(model).score(
      {.samples = 5, .dense = samples.dense.data(), .sparse = samples.bags(), .shared_dense = true}, scores.data());
  CHECK(scores == expected);
}

TEST_CASE("RawInputs: a text that is no value names sample and column and text") {
  const ServedRaw served(test_folder());
  const scoring::ServedModel model(served.exec, served.to());
  const auto reason = [&](const std::string& column, const std::string& text) {
    RawTable table;
    table.names = served.made->evaluated.names;
    table.rows = {served.made->evaluated.rows[0], served.made->evaluated.rows[1]};
    table.rows[1].at(table.column(column)) = text;
    scoring::RawCounts counts;
    return error_of([&] { raw_scores(model, table, counts); });
  };
  CHECK(mentions(reason("price", "12,5"), "sample 1: price: \"12,5\" is not a number"));
  CHECK(mentions(reason("price", "inf"), "sample 1: price: \"inf\" is not a finite number"));
  CHECK(mentions(reason("age", "\x01old"), "sample 1: age: \"\\x01old\" is not a number"));
  CHECK(mentions(reason("when", "yesterday"), "sample 1: when: \"yesterday\" is not a time"));
  CHECK(mentions(reason("tags", "t1:many"), "sample 1: tags: \"t1:many\" has no valid weight"));
  CHECK(reason("user", std::string(100000, 'x')) == "");
  const Index decreasing[] = {0, 4, 2};
  std::vector<scoring::RawTexts> texts(model.raw()->columns().size());
  texts[2] = {"abcd", decreasing};
  scoring::OwnedSamples samples;
  scoring::RawCounts counts;
  CHECK(mentions(error_of([&] { model.raw()->encode(2, texts, samples, counts); }),
                 "column user, sample 1: offset 2 follows 4"));
  texts.pop_back();
  CHECK(mentions(error_of([&] { model.raw()->encode(2, texts, samples, counts); }), "6 columns"));
}

TEST_CASE("export_model: says why a folder takes no raw values and refuses another data set") {
  const ServedRaw served(test_folder());
  const std::string data = served.folder.path() + "/data", checkpoint = served.made->trained->checkpoint();
  const auto exported = [&](const std::string& to, const std::string& vocabulary) {
    return scoring::export_model(served.exec, checkpoint, served.folder.path() + to, scoring::ServedFormat::fp32, {},
                                 vocabulary);
  };
  std::filesystem::rename(data + "/train.h5", data + "/moved.h5");
  const scoring::ModelManifest without = exported("/without", "");
  CHECK_FALSE(without.raw.has_value());
  CHECK(mentions(without.no_raw, "train.h5"));
  CHECK(mentions(without.no_raw, "--vocabulary"));
  CHECK(scoring::ServedModel(served.exec, served.folder.path() + "/without").raw() == nullptr);
  CHECK(exported("/named", data + "/moved.h5").raw->size() == 5);  // all but the hashed one
  CHECK(mentions(error_of([&] { exported("/refused", served.folder.path() + "/none.h5"); }), "--vocabulary"));
  CHECK_FALSE(std::filesystem::exists(served.folder.path() + "/refused"));
  const std::string other = served.folder.path() + "/other";
  std::filesystem::create_directories(other);
  raw_rows(100, "u", 3).write(other + "/train.csv");
  raw_rows(100, "u", 3).write(other + "/evaluate.csv");
  preprocess::run(comm::Communicator(MPI_COMM_WORLD), deck::parse_deck(raw_deck(other), "deck").preprocess);
  CHECK(mentions(error_of([&] { exported("/refused", other + "/data/train.h5"); }), "has the vocabulary"));
  std::filesystem::rename(data + "/moved.h5", data + "/train.h5");
}

TEST_CASE("export_model: data without a vocabulary give a folder that takes no raw values") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, test_folder());
  Trained trained(folder, "bottom = [8, 4]\ntop = [8, 1]\n", "");
  const scoring::ModelManifest manifest =
      scoring::export_model(trained.exec, trained.checkpoint(), folder.path() + "/model", scoring::ServedFormat::fp32);
  CHECK_FALSE(manifest.raw.has_value());
  CHECK(mentions(manifest.no_raw, "was not trained on a data set of `tesserec preprocess`"));
  CHECK(mentions(scoring::read_model_manifest(folder.path() + "/model").no_raw, "was not trained"));
}

TEST_CASE("model folder: a damaged vocabulary is found") {
  const ServedRaw served(test_folder());
  const scoring::FolderVocabulary& first = served.manifest.raw->front();
  const std::string path = served.to() + "/" + first.file.name;
  const std::string whole = read_file(path);
  scoring::verify_model_folder(served.to());
  const scoring::VocabularyFile vocabulary(path, first.rows, first.file.bytes);
  CHECK(vocabulary.id("no such token") == 0);
  Index begin_and_end[2];
  std::memcpy(begin_and_end, whole.data() + 8 * (scoring::vocabulary_slots(first.rows) + 1), sizeof begin_and_end);
  const std::string token = whole.substr(std::size_t(scoring::vocabulary_head_bytes(first.rows) + begin_and_end[0]),
                                         std::size_t(begin_and_end[1] - begin_and_end[0]));
  CHECK(vocabulary.id(token) == 1);
  std::string bytes = whole;
  for (Index slot = 0; slot < scoring::vocabulary_slots(first.rows); ++slot)
    if (bytes[std::size_t(slot * 8)] != 0) bytes[std::size_t(slot * 8 + 2)] = 1;  // ids beyond the last one
  std::ofstream(path, std::ios::binary) << bytes;
  CHECK(mentions(error_of([&] { scoring::verify_model_folder(served.to()); }), path + " is damaged"));
  CHECK(
      mentions(error_of([&] { scoring::ServedModel(served.exec, served.to()); }), path + " is damaged: its checksum"));
  const scoring::VocabularyFile damaged(path, first.rows, first.file.bytes);
  CHECK(mentions(error_of([&] { damaged.id(token); }), path + " is damaged: id"));
  std::ofstream(path, std::ios::binary) << whole;
  CHECK(mentions(error_of([&] { scoring::VocabularyFile(path, first.rows + 1, first.file.bytes + 1); }), "bytes"));
}
