// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "errors.hpp"
#include "train/small_job.hpp"
#include <tesserec/deck/deck.hpp>

namespace tesserec {

/// A job that the text of a deck describes, on a small planted data set.
class DeckJob {
 public:
  DeckJob(const Folder& folder, const std::string& model, const std::string& tables, Index steps = 3)
      : DeckJob(planted(folder, model, tables, steps)) {}
  /// Takes the text of a whole deck.
  explicit DeckJob(const std::string& deck) : job_(job(deck)) {
    for (data::Source* source : {source_.get(), evaluation_.get()})
      source->limit_rows(train::id_limits(session_.model.tables().tables(), source->info()));
  }

  train::Session& session() { return session_; }
  data::Source& source() { return *source_; }
  /// Calls body(batch, the probabilities [samples, labels] of the model as it is) for each batch of the evaluation
  /// data.
  template <class Body>
  void each_batch(const Body& body) {
    data::Batch batch(exec);
    evaluation_->seek(0, 0);
    while (evaluation_->next(batch)) {
      std::vector<float> probabilities(std::size_t(batch.size * job_.model.labels()));
      session_.step.predict(batch, probabilities.data());
      body(batch, probabilities);
    }
  }

  const Exec exec = Exec();

  /// Returns a deck of a planted data set.
  static std::string planted(const Folder& folder, const std::string& model, const std::string& tables, Index steps) {
    return "[run]\noutput = \"" + folder.path() +
           "\"\n[data.synthetic]\nkind = \"planted\"\nsamples = 600\nevaluate_samples = 300\nrows = [50, 7, 90]\n"
           "ids_per_bag = 3\ndense_features = 3\n[train]\nbatch_size = 64\nsteps = " +
           std::to_string(steps) +
           "\n"
           "[optimizer.sparse]\ntype = \"adam\"\n[model]\nembedding_dim = 4\n" +
           model + "\n" + tables;
  }

 private:
  static train::Job job(const std::string& text) {
    const deck::Deck deck = deck::parse_deck(text, "deck");
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
};

/// A model that the text of a deck trains up to a checkpoint.
class Trained : public DeckJob {
 public:
  Trained(const Folder& folder, const std::string& model, const std::string& tables) : DeckJob(folder, model, tables) {
    train();
  }
  explicit Trained(const std::string& deck) : DeckJob(deck) { train(); }

  const std::string& checkpoint() const { return checkpoint_; }

 private:
  void train() {
    train::Training training(session(), source(), nullptr);
    checkpoint_ = train::train(training).checkpoint;
  }

  std::string checkpoint_;
};

}  // namespace tesserec
