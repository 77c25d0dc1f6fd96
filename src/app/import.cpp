// SPDX-License-Identifier: Apache-2.0
// Command `tesserec import`: writes the first checkpoint of a run, with weights of another program.
#include <algorithm>
#include <sstream>

#include "job.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/train/import_weights.hpp>

namespace tesserec::app {
namespace {

train::NameMap name_map(const std::string& name) {
  if (name == "reference") return train::NameMap::reference;
  return name == "torchrec" ? train::NameMap::torchrec : train::NameMap::tesserec;
}

train::ImportSettings import_settings(const Invocation& invocation, const deck::Deck& deck) {
  const auto value = [&](const std::string& option) {
    return invocation.has(option) ? invocation.options.at(option) : std::string();
  };
  if (!invocation.has("--from"))
    fail("tesserec import needs --from PATH, the safetensors file or folder of .npy files to read");
  train::ImportSettings settings{.from = value("--from"),
                                 .map = name_map(value("--map")),
                                 .tensors = deck.imports,
                                 .fewer_rows = invocation.has("--fewer-rows")};
  std::istringstream patterns(value("--only"));
  for (std::string pattern; std::getline(patterns, pattern, ',');) settings.only.push_back(pattern);
  return settings;
}

void show_import(const train::Session& session, const train::Imported& imported, const std::string& from) {
  const std::string& start = session.job.checkpoint.start_from;
  std::size_t width = 0;
  for (const train::NamedTensor& tensor : imported.tensors) width = std::max(width, tensor.name.size());
  log_info(concat(counted(std::ssize(imported.tensors), "tensor"), " of ", from, ":",
                  join(imported.tensors, "", [&](const train::NamedTensor& tensor) {
                    return "\n  " + left(tensor.name, width) + "  " + tensor.from;
                  })));
  if (!imported.kept.empty())
    log_info(concat(
        counted(std::ssize(imported.kept), "tensor"), " of the model not in --only, ",
        start.empty() ? "with start values: " : "with the values of checkpoint.start_from: ", join(imported.kept)));
  if (!imported.fewer_rows.empty())
    log_info("tables with fewer rows in the file, whose further rows stay as they begin: " + join(imported.fewer_rows));
  if (!imported.left_out.empty() && session.comm.rank() == 0)
    log_warning(
        concat(counted(std::ssize(imported.left_out), "tensor"), " of ", from, " not used: ", join(imported.left_out)));
  log_info(session.job.checkpoint.start_states ? "optimizer states of checkpoint.start_from"
                                               : "optimizer states start fresh");
  log_info("weights " + imported.weights_digest + ", checkpoint " + imported.checkpoint);
}

}  // namespace

int import_model(const Invocation& invocation, const comm::Communicator& comm) {
  const deck::Deck deck = invocation.read_deck();
  const train::ImportSettings settings = import_settings(invocation, deck);
  deck::require_training(deck);
  const train::Job job = job_of(deck);
  const auto source = train::open_source(comm, job, data::Use::train);
  require_network(deck, source->info());
  const auto session = make_session(deck, comm, job, source->info());
  show_banner(*session, source->info());
  const train::Imported imported = train::import_weights(*session, settings, source->info().samples);
  show_model(*session);
  show_import(*session, imported, settings.from);
  Json tensors = Json::array(Json::Layout::lines);
  for (const train::NamedTensor& tensor : imported.tensors)
    tensors.add(Json::object().set("name", tensor.name).set("from", tensor.from));
  if (invocation.json)
    print(comm, Json::object()
                    .set("checkpoint", imported.checkpoint)
                    .set("weights_digest", imported.weights_digest)
                    .set("tensors", tensors)
                    .set("kept", imported.kept)
                    .set("fewer_rows", imported.fewer_rows)
                    .set("not_used", imported.left_out));
  return 0;
}

}  // namespace tesserec::app
