// SPDX-License-Identifier: Apache-2.0
#include "loaded_model.hpp"

#include "known_data.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/train/checkpoint.hpp>

namespace tesserec::app {
namespace {

/// The checkpoint to load; empty for the newest one.
std::string checkpoint_of(const train::Job& job, bool newest) {
  if (newest) return "";
  const std::string& resume = job.checkpoint.resume;
  return resume == "best" ? job.checkpoint_folder() + "/best" : resume;
}

}  // namespace

LoadedModel::LoadedModel(const deck::Deck& deck, const comm::Communicator& comm, data::Use use) : job(job_of(deck)) {
  if (!data::has_source(job.data, use))
    fail(deck.at("data"), ": no evaluation data; give data.evaluate", use == data::Use::predict ? ", data.predict" : "",
         ", or data.synthetic.evaluate_samples");
  source = train::open_source(comm, job, use);
  require_network(deck, source->info());
  const std::string& resume = job.checkpoint.resume;
  const bool newest = resume == "auto" || resume == "never";
  const train::TrainedModel trained = train::open_trained(comm, job, checkpoint_of(job, newest));
  train::FittedData fitted = train::fit_data(trained, job, std::move(source));
  source = std::move(fitted.source);
  session = make_session(deck, comm, job, fitted.info);
  train::prepare_source(*session, *source, use);
  show_banner(*session, source->info());
  train::restore_weights(*session, trained);
  checkpoint = trained.folder;
  if (!newest && resume != "best") {
    const auto own = store::CheckpointFolder(comm, job.checkpoint_folder()).list();
    if (!own.empty() && own.front().origin == "resume " + trained.checkpoint.manifest.state)
      log_warning("checkpoint.resume names " + checkpoint + ", from which the run of " + job.run.folder() +
                  " went on; --set checkpoint.resume=auto takes that run's own newest checkpoint");
  }
  log_info("weights of " + checkpoint);
  show_model(*session);
}

}  // namespace tesserec::app
