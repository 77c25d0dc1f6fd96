// SPDX-License-Identifier: Apache-2.0
// The C library against the trained model, bit by bit, from several threads at once, and its errors.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <thread>

#include "scoring/growing_deck.hpp"
#include "scoring/trained.hpp"
#include "scoring/two_labels.hpp"
#include <tesserec/predict.h>
#include <tesserec/scoring/export_model.hpp>

using namespace tesserec;

namespace {

/// A batch as the C interface takes it, in memory of its own.
struct CBatch {
  std::vector<float> dense, scores;
  std::vector<std::vector<Index>> offsets, ids;

  CBatch(const data::Batch& batch, const std::vector<float>& probabilities)
      : dense(batch.dense.data(), batch.dense.data() + batch.size * 3), scores(probabilities) {
    const jagged::KeyedJaggedTensor& sparse = batch.sparse;
    for (Index f = 0; f < sparse.features(); ++f) {
      std::vector<Index>& ends = offsets.emplace_back();
      for (Index s = 0; s <= sparse.stride; ++s)
        ends.push_back(sparse.offsets(f * sparse.stride + s) - sparse.begin(f, 0));
      const Index* const first = sparse.values.data() + sparse.begin(f, 0);
      ids.emplace_back(first, first + ends.back());
    }
  }
  std::vector<tesserec_bags> bags() const {
    std::vector<tesserec_bags> all;
    for (std::size_t f = 0; f < ids.size(); ++f) all.push_back({offsets[f].data(), ids[f].data(), nullptr});
    return all;
  }
};

}  // namespace

TEST_CASE("predict: four threads over one model get the trained model's bits") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "predict");
  Trained trained(folder, "bottom = [8, 4]\ntop = [8, 1]\n", "");
  std::vector<CBatch> batches;
  trained.each_batch([&](const data::Batch& batch, const std::vector<float>& probabilities) {
    batches.emplace_back(batch, probabilities);
  });
  REQUIRE(batches.size() > 2);
  const std::string to = folder.path() + "/model";
  scoring::export_model(trained.exec, trained.checkpoint(), to, scoring::ServedFormat::fp32);
  tesserec_model* const model = tesserec_open(to.c_str());
  REQUIRE(model != nullptr);
  CHECK(tesserec_predict_version() == TESSEREC_PREDICT_VERSION);
  CHECK(tesserec_step(model) == 3);
  CHECK(tesserec_dense_count(model) == 3);
  REQUIRE(tesserec_feature_count(model) == 3);
  CHECK(tesserec_feature_name(model, 2) == std::string("C3"));
  CHECK(tesserec_feature_ids(model, 2) == 90);
  CHECK(tesserec_feature_name(model, 3) == nullptr);
  CHECK(tesserec_feature_ids(model, -1) == -1);

  std::vector<Index> equal(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < equal.size(); ++t)
    threads.emplace_back([&, t] {
      tesserec_context* const context = tesserec_context_create(model);
      for (int pass = 0; pass < 20; ++pass)
        for (std::size_t b = 0; b < batches.size(); ++b) {
          const CBatch& batch = batches[(b + t) % batches.size()];
          std::vector<float> scores(batch.scores.size());
          const int code =
              tesserec_predict(context, std::ssize(scores), batch.dense.data(), batch.bags().data(), scores.data());
          equal[t] += code == 0 && std::memcmp(scores.data(), batch.scores.data(), scores.size() * sizeof(float)) == 0;
        }
      tesserec_context_destroy(context);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Index count : equal) CHECK(count == 20 * std::ssize(batches));

  tesserec_context* const context = tesserec_context_create(model);
  // One user against the items of a batch: C1 and the dense features are the user's.
  CBatch items = batches[1];
  const std::vector<Index> of_user(items.ids[0].begin(), items.ids[0].begin() + items.offsets[0][1]),
      ends = {0, std::ssize(of_user)};
  items.ids[0].clear();
  for (std::size_t s = 0; s < items.scores.size(); ++s) {
    items.offsets[0][s] = std::ssize(items.ids[0]);
    items.ids[0].insert(items.ids[0].end(), of_user.begin(), of_user.end());
    std::copy_n(items.dense.begin(), 3, items.dense.begin() + std::ptrdiff_t(3 * s));
  }
  items.offsets[0].back() = std::ssize(items.ids[0]);
  const Index count = std::ssize(items.scores);
  std::vector<float> whole(items.scores.size()), by_items(items.scores.size());
  CHECK(tesserec_predict(context, count, items.dense.data(), items.bags().data(), whole.data()) == 0);
  std::vector<tesserec_bags> bags = items.bags();
  bags[0] = {ends.data(), of_user.data(), nullptr};
  const unsigned char users[] = {1, 0, 0};
  CHECK(tesserec_predict_items(context, count, items.dense.data(), 1, bags.data(), users, by_items.data()) == 0);
  CHECK(whole == by_items);
  CHECK(whole != items.scores);
  bags[0].ids = nullptr;
  CHECK(tesserec_predict_items(context, count, items.dense.data(), 1, bags.data(), users, by_items.data()) == -1);
  CHECK(tesserec_last_error() == std::string("feature C1: there are offsets, but no ids; give both"));

  std::vector<float> scores(64, -1.0f);
  CBatch wrong = batches[0];
  wrong.ids[1][0] = 7;
  CHECK(tesserec_predict(context, 64, wrong.dense.data(), wrong.bags().data(), scores.data()) == -1);
  CHECK(mentions(tesserec_last_error(), "feature C2, sample "));
  CHECK(mentions(tesserec_last_error(), ": id 7 is outside table C2 of 7 rows"));
  CHECK(scores == std::vector<float>(64, -1.0f));
  std::vector<tesserec_bags> without = batches[0].bags();
  without[0].ids = nullptr;
  CHECK(tesserec_predict(context, 64, wrong.dense.data(), without.data(), scores.data()) == -1);
  CHECK(tesserec_last_error() == std::string("feature C1: there are offsets, but no ids; give both"));
  CHECK(tesserec_predict(context, -1, nullptr, without.data(), scores.data()) == -1);
  CHECK(tesserec_last_error() == std::string("the number of samples is -1; give 0 or more"));
  CBatch huge = batches[0];
  std::fill_n(huge.dense.begin() + 15, 3, -3e38f);
  CHECK(tesserec_predict(context, 64, huge.dense.data(), huge.bags().data(), scores.data()) == -1);
  CHECK(mentions(tesserec_last_error(), "sample 5: the score is not finite; "));
  tesserec_context_destroy(context);
  tesserec_close(model);
  CHECK(tesserec_open(folder.path().c_str()) == nullptr);
  CHECK(mentions(tesserec_last_error(), ": this is no model folder"));
  std::ofstream(folder.path() + "/manifest.json") << "{\"format\": \"tess";
  CHECK(tesserec_open(folder.path().c_str()) == nullptr);
  CHECK(mentions(tesserec_last_error(), "/manifest.json is damaged: "));
}

TEST_CASE("predict: growing tables, with ids of 64 bits that have a row and that have none, get the trained bits") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "predict_grown");
  Trained trained(growing_deck(folder, 5));
  const std::string to = folder.path() + "/model";
  scoring::export_model(trained.exec, trained.checkpoint(), to, scoring::ServedFormat::fp32);
  tesserec_model* const model = tesserec_open(to.c_str());
  REQUIRE(model != nullptr);
  for (Index f = 0; f < 3; ++f) CHECK(tesserec_feature_ids(model, f) == std::numeric_limits<Index>::max());
  tesserec_context* const context = tesserec_context_create(model);
  Index negative = 0;
  trained.each_batch([&](const data::Batch& batch, const std::vector<float>& probabilities) {
    const CBatch given(batch, probabilities);
    negative += std::ranges::count_if(given.ids[0], [](Index id) { return id < 0; });
    std::vector<float> scores(probabilities.size());
    REQUIRE(tesserec_predict(context, batch.size, given.dense.data(), given.bags().data(), scores.data()) == 0);
    CHECK(scores == probabilities);
  });
  CHECK(negative > 100);
  tesserec_context_destroy(context);
  tesserec_close(model);
}

TEST_CASE("predict: a model of two labels gives both scores, to a caller that has room for both") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "predict_labels");
  Trained trained(two_label_deck(folder));
  const std::string to = folder.path() + "/model";
  scoring::export_model(trained.exec, trained.checkpoint(), to, scoring::ServedFormat::fp32);
  tesserec_model* const model = tesserec_open(to.c_str());
  REQUIRE(model != nullptr);
  REQUIRE(tesserec_label_count(model) == 2);
  CHECK(tesserec_label_name(model, 0) == std::string("click"));
  CHECK(tesserec_label_name(model, 1) == std::string("buy"));
  CHECK(tesserec_label_name(model, 2) == nullptr);
  CHECK(tesserec_label_name(model, -1) == nullptr);
  CHECK(tesserec_context_create(model) == nullptr);
  CHECK(tesserec_last_error() ==
        std::string("the model gives 2 scores a sample (click, buy), but the caller has room for 1; make the context "
                    "with tesserec_context_create_labels(model, 2)"));
  CHECK(tesserec_context_create_labels(model, 3) == nullptr);
  tesserec_context* const context = tesserec_context_create_labels(model, 2);
  REQUIRE(context != nullptr);
  Index samples = 0, lower = 0;
  trained.each_batch([&](const data::Batch& batch, const std::vector<float>& probabilities) {
    const CBatch given(batch, probabilities);
    std::vector<float> scores(std::size_t(2 * batch.size + 1), -1.0f);
    REQUIRE(tesserec_predict(context, batch.size, given.dense.data(), given.bags().data(), scores.data()) == 0);
    CHECK(scores.back() == -1.0f);
    scores.pop_back();
    CHECK(scores == probabilities);
    samples += batch.size;
    for (std::size_t s = 0; s < scores.size(); s += 2) lower += scores[s + 1] <= scores[s];
  });
  CHECK(samples == 300);
  CHECK(lower == samples);  // a purchase is a click, too
  tesserec_context_destroy(context);
  tesserec_close(model);
}
