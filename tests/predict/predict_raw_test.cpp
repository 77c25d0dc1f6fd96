// SPDX-License-Identifier: Apache-2.0
// Raw values by the C library, against the preprocessed rows, and its errors.
#include <cstring>
#include <filesystem>

#include "scoring/raw_job.hpp"
#include <tesserec/predict.h>
#include <tesserec/scoring/export_model.hpp>

using namespace tesserec;

TEST_CASE("predict: raw values have the scores of the preprocessed rows and are counted") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "predict_raw");
  std::filesystem::create_directories(folder.path());
  std::string deck = raw_deck(folder.path());  // whose items get hashed ids of 64 bits and a table that grows
  deck.erase(deck.find("max_rows = 97\n"), std::string_view("max_rows = 97\n").size());
  deck.insert(deck.find("[[table]]", deck.rfind("name = \"item\"")), "growing = true\nrows = 1024\n");
  RawJob job(folder.path(), raw_rows(400, "u", 1), raw_rows(40, "new", 2), deck);
  const std::string to = folder.path() + "/model", bare = folder.path() + "/bare";
  scoring::export_model(job.trained->exec, job.trained->checkpoint(), to, scoring::ServedFormat::fp32);
  std::vector<float> expected;
  job.trained->each_batch([&](const data::Batch&, const std::vector<float>& some) {
    expected.insert(expected.end(), some.begin(), some.end());
  });
  tesserec_model* const model = tesserec_open(to.c_str());
  REQUIRE(model != nullptr);
  std::vector<std::string> bytes;
  std::vector<std::vector<int64_t>> offsets;
  for (int64_t c = 0; const char* const name = tesserec_raw_column(model, c); ++c) {
    bytes.emplace_back();
    offsets.push_back({0});
    for (const std::vector<std::string>& row : job.evaluated.rows) {
      bytes.back() += row.at(job.evaluated.column(name));
      offsets.back().push_back(std::ssize(bytes.back()));
    }
  }
  REQUIRE(bytes.size() == 7);
  CHECK(tesserec_raw_column(model, -1) == nullptr);
  std::vector<tesserec_texts> columns;
  for (std::size_t c = 0; c < bytes.size(); ++c) columns.push_back({bytes[c].data(), offsets[c].data()});
  tesserec_context* const context = tesserec_context_create(model);
  std::vector<float> scores(40);
  std::vector<int64_t> missing(7, 100), unknown(std::size_t(tesserec_feature_count(model)), 0);
  REQUIRE(tesserec_predict_raw(context, 40, columns.data(), nullptr, scores.data(), missing.data(), unknown.data()) ==
          0);
  CHECK(std::memcmp(scores.data(), expected.data(), scores.size() * sizeof(float)) == 0);
  CHECK(missing[0] > 100);
  CHECK(unknown[0] > 0);
  REQUIRE(tesserec_feature_name(model, 4) == std::string("item"));
  CHECK(unknown[4] > 0);  // items that training did not see

  const unsigned char of_user[] = {1, 1, 1, 1, 1, 1, 0};  // all but the item
  std::vector<float> items(2);
  const int64_t of_items[] = {0, 2, 4};
  columns[6] = {"i1i2", of_items};
  REQUIRE(tesserec_predict_raw(context, 2, columns.data(), of_user, items.data(), nullptr, nullptr) == 0);
  REQUIRE(tesserec_predict_raw(context, 1, columns.data(), nullptr, scores.data(), nullptr, nullptr) == 0);
  CHECK(scores[0] == items[0]);

  const int64_t one[] = {0, 4};
  columns[0] = {"much", one};
  scores[0] = -1;
  CHECK(tesserec_predict_raw(context, 1, columns.data(), nullptr, scores.data(), nullptr, nullptr) == -1);
  CHECK(mentions(tesserec_last_error(), "sample 0: price: \"much\" is not a number"));
  CHECK(scores[0] == -1);
  columns[0] = {nullptr, one};
  CHECK(tesserec_predict_raw(context, 1, columns.data(), nullptr, scores.data(), nullptr, nullptr) == -1);
  CHECK(tesserec_last_error() == std::string("column price: there are offsets, but no bytes; give both"));
  columns[0] = {nullptr, nullptr};  // missing
  CHECK(tesserec_predict_raw(context, 1, columns.data(), nullptr, scores.data(), nullptr, nullptr) == 0);
  tesserec_context_destroy(context);
  tesserec_close(model);

  std::filesystem::remove(folder.path() + "/data/train.h5");
  scoring::export_model(job.trained->exec, job.trained->checkpoint(), bare, scoring::ServedFormat::fp32);
  tesserec_model* const without = tesserec_open(bare.c_str());
  REQUIRE(without != nullptr);
  CHECK(tesserec_raw_column(without, 0) == nullptr);
  tesserec_context* const idle = tesserec_context_create(without);
  CHECK(tesserec_predict_raw(idle, 1, columns.data(), nullptr, scores.data(), nullptr, nullptr) == -1);
  CHECK(mentions(tesserec_last_error(), "the model takes no raw values"));
  tesserec_context_destroy(idle);
  tesserec_close(without);
}
