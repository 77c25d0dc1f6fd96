// SPDX-License-Identifier: Apache-2.0
// Scorer against the trained model, bit by bit, for several kinds of tables and layers.
#include "catch.hpp"
#include "errors.hpp"
#include "train/small_job.hpp"
#include <tesserec/deck/deck.hpp>
#include <tesserec/scoring/scorer.hpp>

using namespace tesserec;

namespace {

constexpr const char* dlrm = "bottom = [8, 4]\ntop = [8, 1]\n";

/// A model that the text of a deck trains up to a checkpoint.
class Trained {
 public:
  Trained(const Folder& folder, const std::string& model, const std::string& tables)
      : job_(job(folder, model, tables)) {
    for (data::Source* source : {source_.get(), evaluation_.get()})
      source->limit_rows(train::id_limits(session_.model.tables().tables(), source->info()));
    train::Training training(session_, *source_, nullptr);
    checkpoint_ = train::train(training).checkpoint;
  }

  const std::string& checkpoint() const { return checkpoint_; }
  /// Calls body(batch, the trained model's probabilities) for each batch of the evaluation data.
  template <class Body>
  void each_batch(const Body& body) {
    data::Batch batch(exec);
    evaluation_->seek(0, 0);
    while (evaluation_->next(batch)) {
      std::vector<float> probabilities(batch.size);
      session_.step.predict(batch, probabilities.data());
      body(batch, probabilities);
    }
  }

  const Exec exec = Exec();

 private:
  static train::Job job(const Folder& folder, const std::string& model, const std::string& tables) {
    const deck::Deck deck = deck::parse_deck(
        "[run]\noutput = \"" + folder.path() +
            "\"\n[data.synthetic]\nkind = \"planted\"\nsamples = 600\nevaluate_samples = 300\nrows = [50, 7, 90]\n"
            "ids_per_bag = 3\ndense_features = 3\n[train]\nbatch_size = 64\nsteps = 3\n"
            "[optimizer.sparse]\ntype = \"adam\"\n[model]\nembedding_dim = 4\n" +
            model + "\n" + tables,
        "deck");
    return {deck.run,      deck.data, deck.model,      deck.tables,   deck.train,          deck.optimizer,
            deck.schedule, deck.plan, deck.checkpoint, deck.evaluate, effective_deck(deck)};
  }

  const comm::Communicator world_{MPI_COMM_WORLD};
  train::Job job_;
  std::unique_ptr<data::Source> source_ =
      data::make_source(job_.data, data::Use::train, train::Session::deal(world_, job_, true));
  std::unique_ptr<data::Source> evaluation_ =
      data::make_source(job_.data, data::Use::evaluate, train::Session::deal(world_, job_, false));
  train::Session session_{exec, world_, job_, source_->info()};
  std::string checkpoint_;
};

void compare(const std::string& model, const std::string& tables = "") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "scoring");
  Trained trained(folder, model, tables);
  const scoring::Scorer scorer(trained.exec, trained.checkpoint());
  CHECK(scorer.step() == 3);
  CHECK(scorer.dense_features() == 3);
  Index samples = 0;
  trained.each_batch([&](const data::Batch& batch, const std::vector<float>& probabilities) {
    const Matrix<float> dense(batch.dense.data(), batch.size, 3);  // a smaller batch keeps the capacity of the others
    CHECK(scorer.predict(trained.exec, dense, batch.sparse) == probabilities);
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

TEST_CASE("Scorer: throws for a table that grows") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "scoring");
  const Trained trained(folder, dlrm,
                        "[[table]]\nname = \"C1\"\ngrowing = true\nrows = 2000\n[[table]]\nname = \"C2\"\n"
                        "[[table]]\nname = \"C3\"\n");
  CHECK(
      mentions(error_of([&] { scoring::Scorer(trained.exec, trained.checkpoint()); }),
               ": table C1 grows, and a Scorer reads tables of consecutive rows alone; score with `tesserec predict`"));
}
