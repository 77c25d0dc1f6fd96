// SPDX-License-Identifier: Apache-2.0
// Checks of a deck that only some commands need.
#include <filesystem>
#include <utility>

#include "section.hpp"
#include <tesserec/data/make_source.hpp>

namespace tesserec::deck {

void require_data(const Deck& deck) {
  const bool has_other_source = !deck.data.source.empty() || deck.data.synthetic.kind != data::SyntheticKind::none;
  if (deck.data.train.empty() && !has_other_source)
    fail(deck.at("data.train"),
         " is missing: give HDF5 data sets (tesserec preprocess makes them) or [data.synthetic]");
  namespace fs = std::filesystem;
  std::error_code error;
  for (const std::string& path : deck.data.train)
    if (!deck.preprocess.output.empty() &&
        (fs::path(path).parent_path() / "") == fs::path(deck.preprocess.output) / "" && !fs::exists(path, error) &&
        path.find_first_of("*?[") == std::string::npos)
      fail(deck.at("data.train"), ": ", path, ": there is no such file; `tesserec preprocess ", deck.file,
           "` writes it (paths are relative to the working folder)");
}

void require_training(const Deck& deck) {
  require_data(deck);
  for (const auto& [key, is_set] : {std::pair("evaluate.stop_at_auc", deck.evaluate.stop_at_auc > 0),
                                    std::pair("evaluate.patience", deck.evaluate.patience > 0),
                                    std::pair("checkpoint.keep_best", deck.checkpoint.keep_best)})
    if (is_set && !data::has_source(deck.data, data::Use::evaluate))
      fail(deck.at(key), " needs evaluation data: give data.evaluate or data.synthetic.evaluate_samples");
  const train::CheckpointSettings& checkpoint = deck.checkpoint;
  if (checkpoint.resume == "best")
    fail(deck.at("checkpoint.resume"),
         " is \"best\", which only evaluate and predict accept; to continue training from it, name its path, or set "
         "checkpoint.start_from in a run with another run.output");
  const bool by_path = checkpoint.resume != "auto" && checkpoint.resume != "never";
  if (by_path && !checkpoint.start_from.empty())
    fail(deck.at("checkpoint.start_from"), " is set, but checkpoint.resume names a checkpoint, too; omit one of them");
  if (checkpoint.check_memory && checkpoint.keep == 0)
    fail(deck.at("checkpoint.check_memory"), " is true, but checkpoint.keep is 0, so nothing is ever compared");
  if (checkpoint.start_states && checkpoint.start_from.empty())
    fail(deck.at("checkpoint.start_states"), " is true, but checkpoint.start_from is empty; name a checkpoint");
}

void require_preprocess(const Deck& deck) {
  const preprocess::Settings& preprocess = deck.preprocess;
  if (preprocess.train.empty() && preprocess.evaluate.empty() && preprocess.predict.empty())
    fail(deck.at("preprocess.train"), " is missing: give the raw training files");
  if (preprocess.output.empty())
    fail(deck.at("preprocess.output"), " is missing: give the folder for train.h5, evaluate.h5 and predict.h5");
}

}  // namespace tesserec::deck
