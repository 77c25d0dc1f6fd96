// SPDX-License-Identifier: Apache-2.0
// Raw values with a run that trains: the vocabulary of its data, rows of 64-bit ids that come and go, and another
// vocabulary.
#include <filesystem>

#include "raw_job.hpp"
#include "scoring/followed_run.hpp"

using namespace tesserec;
namespace fs = std::filesystem;

namespace {

/// A run on the rows of raw_deck() that writes deltas. Items have hashed ids of 64 bits and a table that grows.
class RawRun {
 public:
  RawRun(const std::string& name, Index rows, std::uint64_t seed)
      : evaluated(raw_rows(300, "new", seed + 1)),
        run(name, [&](const Folder& folder) { return preprocessed(folder.path(), rows, seed); }) {}

  /// Returns the scores of the evaluation rows by their raw values.
  std::vector<float> scores(const scoring::ServedModel& model) const {
    scoring::RawCounts counts;
    return raw_scores(model, evaluated, counts);
  }
  std::string data() const { return run.path() + "/data/train.h5"; }

  RawTable evaluated;
  FollowedRun run;

 private:
  std::string preprocessed(const std::string& path, Index rows, std::uint64_t seed) const {
    fs::create_directories(path);
    raw_rows(rows, "u", seed).write(path + "/train.csv");
    evaluated.write(path + "/evaluate.csv");
    std::string deck = raw_deck(path);
    const auto replace = [&](const std::string& text, const std::string& by) {
      REQUIRE(deck.find(text) != std::string::npos);
      deck.replace(deck.find(text), text.size(), by);
    };
    replace(path + "/run", path);
    replace("max_rows = 97\n", "");
    replace("name = \"item\"\n[[table]]", "name = \"item\"\ngrowing = true\nrows = 1024\n[[table]]");
    replace("steps = 4", "steps = 20");
    deck += "[checkpoint]\ndelta_seconds = 1e-9\n[optimizer.dense]\nlr = 0.05\n";
    preprocess::run(comm::Communicator(MPI_COMM_WORLD), deck::parse_deck(deck, "deck").preprocess);
    return deck;
  }
};

}  // namespace

TEST_CASE("RunFollower: raw values have the bits of training in each state") {
  RawRun raw("raw_follow", 500, 1);
  FollowedRun& run = raw.run;
  scoring::RunFollower follower(run.exec(), run.path(), {});
  REQUIRE(follower.model().copy(0).raw() != nullptr);
  for (int s = 0; s < 3; ++s) {
    run.step();
    REQUIRE(follower.poll());
    const std::vector<float> trained = run.trained();
    for (int copy = 0; copy < scoring::LiveModel::copies; ++copy)
      CHECK(raw.scores(follower.model().copy(copy)) == trained);
  }
  scoring::ServedModel opened(run.exec(), run.save());
  CHECK(opened.raw() == nullptr);
  opened.read_vocabularies("");
  CHECK(raw.scores(opened) == run.trained());

  // The data set lies elsewhere.
  const std::string moved = run.path() + "/moved.h5";
  fs::rename(raw.data(), moved);
  scoring::RunFollower without(run.exec(), run.path(), {});
  CHECK(without.model().copy(0).raw() == nullptr);
  CHECK(mentions(without.model().copy(0).no_raw(), raw.data()));
  scoring::RunFollower named(run.exec(), run.path(), {}, moved);
  CHECK(raw.scores(named.model().copy(1)) == run.trained());
  const auto error = [&](const std::string& vocabulary) {
    return error_of([&] { scoring::RunFollower(run.exec(), run.path(), {}, vocabulary); });
  };
  CHECK(mentions(error(raw.data()), "--vocabulary " + raw.data() + ": "));
}

TEST_CASE("RunFollower: a run that goes on with another vocabulary is refused, and served by a new start") {
  RawRun raw("raw_vocabulary", 500, 1), other("raw_vocabulary_other", 600, 5);
  FollowedRun& run = raw.run;
  scoring::RunFollower follower(run.exec(), run.path(), {});
  const std::vector<float> scores = raw.scores(follower.model().copy(0));
  other.run.step(2);
  fs::copy(other.run.save(), run.path() + "/checkpoints/step_000000003", fs::copy_options::recursive);
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == 1);
  CHECK(raw.scores(follower.model().copy(0)) == scores);
  scoring::ServedModel model(run.exec(), run.path() + "/checkpoints/step_000000001");
  CHECK(
      mentions(error_of([&] { model.read(run.exec(), store::whole_checkpoints(run.path() + "/checkpoints").front()); }),
               "start the server again to serve it"));
  scoring::RunFollower again(run.exec(), run.path(), {});
  CHECK(other.scores(again.model().copy(0)) == other.run.trained());
}
