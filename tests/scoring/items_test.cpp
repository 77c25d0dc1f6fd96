// SPDX-License-Identifier: Apache-2.0
// Items of one user against samples that each have the user's features, bit by bit, for every choice of the user's
// features and several kinds of tables and layers.
#include <cstring>

#include "trained.hpp"
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/scoring/scoring_context.hpp>
#include <tesserec/scoring/served_model.hpp>

using namespace tesserec;

namespace {

constexpr Index items = 200, user = 5;  // more than one chunk; the sample whose features are the user's

/// Inputs of a batch, in memory of their own.
struct Inputs {
  std::vector<float> dense;
  std::vector<std::vector<Index>> offsets, ids;
};

/// Copies samples of a batch, of feature f those of samples[f], of the dense features those of samples[features].
Inputs copy(const data::Batch& batch, const std::vector<std::vector<Index>>& samples) {
  Inputs to;
  for (const Index s : samples.back())
    for (Index k = 0; k < 3; ++k) to.dense.push_back(batch.dense(s, k));
  for (std::size_t f = 0; f + 1 < samples.size(); ++f) {
    std::vector<Index>&offsets = to.offsets.emplace_back(1, 0), &ids = to.ids.emplace_back();
    for (const Index s : samples[f]) {
      const Index length = s % 4 == 3 ? 0 : batch.sparse.length(Index(f), s);  // some bags are empty
      const Index* const first = batch.sparse.values.data() + batch.sparse.begin(Index(f), s);
      ids.insert(ids.end(), first, first + length);
      offsets.push_back(std::ssize(ids));
    }
  }
  return to;
}

std::vector<float> score(const scoring::ServedModel& model, scoring::ScoringContext& context, const Inputs& inputs,
                         unsigned shared) {
  std::vector<scoring::ScoredBags> bags;
  for (const std::string& feature : model.features()) {
    const auto f = std::size_t(feature[1] - '1');  // of C1, C2, C3
    bags.push_back(
        {.offsets = inputs.offsets[f].data(), .ids = inputs.ids[f].data(), .shared = (shared >> f & 1) != 0});
  }
  std::vector<float> scores(items);
  const bool shared_dense = (shared >> inputs.ids.size() & 1) != 0;
  context.score({.samples = items, .dense = inputs.dense.data(), .sparse = bags, .shared_dense = shared_dense},
                scores.data());
  return scores;
}

void compare_items(const std::string& model, const std::string& tables = "") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "items");
  Trained trained(folder, model, tables);
  scoring::export_model(trained.exec, trained.checkpoint(), folder.path() + "/model", scoring::ServedFormat::int8);
  const scoring::ServedModel served(trained.exec, folder.path() + "/model");
  REQUIRE(served.features().size() == 3);
  scoring::ScoringContext context(served);
  bool is_first = true;
  trained.each_batch([&](const data::Batch& batch, const std::vector<float>&) {
    if (!std::exchange(is_first, false)) return;
    std::vector<float> all_own;
    for (unsigned shared = 0; shared < 16; ++shared) {
      std::vector<std::vector<Index>> once(4), each(4);
      for (std::size_t f = 0; f < 4; ++f) {
        const bool is_users = (shared >> f & 1) != 0;
        for (Index s = 0; s < items; ++s) each[f].push_back(is_users ? user : s * 7 % batch.size);
        once[f] = is_users ? std::vector<Index>{user} : each[f];
      }
      scoring::ScoringContext fresh(served);  // whose buffers hold nothing of the user
      const std::vector<float> expected = score(served, context, copy(batch, each), 0),
                               found = score(served, fresh, copy(batch, once), shared);
      INFO(model << tables << ", shared " << shared);
      CHECK(std::memcmp(found.data(), expected.data(), items * sizeof(float)) == 0);
      if (shared == 0)
        all_own = expected;
      else
        CHECK(found != all_own);
    }
  });
}

}  // namespace

TEST_CASE("ScoringContext: items of one user have the bits of whole samples") {
  const std::string dlrm = "bottom = [8, 4]\ntop = [8, 1]\n";
  compare_items(dlrm);
  compare_items(dlrm + "type = \"dlrm_dcn\"\n",
                "[[table]]\nname = \"C1\"\n[[table]]\nname = \"others\"\n"
                "features = [\"C2\", \"C3\"]\npooling = \"mean\"\n");
  compare_items(dlrm + "qr_collisions = 4\nqr_threshold = 40\nqr_operation = \"concat\"\n");
  compare_items("type = \"two_tower\"\nquery = [\"dense\", \"pooled.C1\"]\nitem = [\"pooled.C2\", \"pooled.C3\"]\n");
  compare_items(
      "type = \"din\"\nitem = [\"pooled.C1\"]\nhistory = [\"unpooled.C3\"]\n",
      "[[table]]\nname = \"C1\"\nfeatures = [\"C1\", \"C3\"]\nunpooled = [\"C3\"]\n[[table]]\nname = \"C2\"\n");
}

TEST_CASE("ScoringContext: items that share a long history, of which fewer are scored at once, have the same bits") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "items");
  Trained trained(
      folder, "type = \"din\"\nitem = [\"pooled.C1\"]\nhistory = [\"unpooled.C3\"]\nattention_softmax = true\n",
      "[[table]]\nname = \"C1\"\nfeatures = [\"C1\", \"C3\"]\nunpooled = [\"C3\"]\n[[table]]\nname = \"C2\"\n");
  const scoring::ServedModel served(trained.exec, trained.checkpoint());
  constexpr Index many = 110, length = 40000;  // 104 copies of 40000 x 4 numbers are 64 MiB
  std::vector<Index> each, same(many), all(length);
  for (Index i = 0; i <= many; ++i) each.push_back(i);
  for (Index i = 0; i < length; ++i) all[i] = i * i % 50;
  const std::vector<Index> whole{0, length};
  const std::vector<float> dense(3 * many, 0.5f);
  scoring::ScoringContext context(served);
  const auto score = [&](Index first, Index samples) {
    std::vector<scoring::ScoredBags> bags;
    for (const std::string& feature : served.features())
      bags.push_back({.offsets = feature == "C3" ? whole.data() : each.data() + (feature == "C1" ? first : 0),
                      .ids = feature == "C2" ? same.data() : all.data(),
                      .shared = feature == "C3"});
    std::vector<float> scores(samples);
    context.score({.samples = samples, .dense = dense.data(), .sparse = bags}, scores.data());
    return scores;
  };
  const std::vector<float> found = score(0, many);
  CHECK((found[0] > 0 && found[0] < 1));
  for (const Index item : {Index(0), Index(103), Index(104), many - 1})
    CHECK(score(item, 1) == std::vector<float>{found[item]});
}

TEST_CASE("ScoringContext: what one user shares is checked once, and as all else") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "items");
  Trained trained(folder, "bottom = [8, 4]\ntop = [8, 1]\n", "");
  const scoring::ServedModel served(trained.exec, trained.checkpoint());
  scoring::ScoringContext context(served);
  Inputs inputs{{1, 2, 3}, {{0, 1}, {0, 1, 2, 3}, {0, 0, 0, 0}}, {{49}, {0, 1, 2}, {}}};
  std::vector<float> scores(3);
  const auto says = [&] {
    const std::vector<scoring::ScoredBags> bags{
        {.offsets = inputs.offsets[0].data(), .ids = inputs.ids[0].data(), .shared = true},
        {.offsets = inputs.offsets[1].data(), .ids = inputs.ids[1].data()},
        {.offsets = inputs.offsets[2].data(), .ids = inputs.ids[2].data()}};
    return error_of([&] {
      context.score({.samples = 3, .dense = inputs.dense.data(), .sparse = bags, .shared_dense = true}, scores.data());
    });
  };
  CHECK(says().empty());
  inputs.ids[0][0] = 50;
  CHECK(says() == "feature C1, sample 0: id 50 is outside table C1 of 50 rows");
  inputs.ids[0][0] = 49;
  inputs.dense[2] = INFINITY;
  CHECK(says() == "sample 0: dense feature 2 is not finite; give the preprocessed number");
}
