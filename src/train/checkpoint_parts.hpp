// SPDX-License-Identifier: Apache-2.0
/// Parts that writing and reading checkpoints share: named state, the deck of a checkpoint, and what fits a model.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Weights and optimizer states of the session's model, this rank's parts.
std::vector<store::StateItem> all_items(const Session& session);

/// Finds out which bytes the training data have, from here on. Collective.
void know_content(Session& session);

/// ": 12.3 MB in 0.004 s, 3.1 GB/s".
std::string rate_of(const store::StateRecords& records, double seconds);

/// Opens the checkpoint of `path`, as parallel_io::find_checkpoint; messages name the deck's `key`, if any. Collective.
struct NamedCheckpoint {
  std::string folder;
  store::OpenCheckpoint open;
};
NamedCheckpoint open_named(const comm::Communicator& comm, const std::string& path, const std::string& key);

/// Writes `items` with the model's step and lanes and `facts`; arguments and result as save's.
std::string save_state(const Exec& exec, const sharding::DistributedModelParallel& model, const std::string& path,
                       Index keep, const std::vector<store::StateItem>& items, store::Attributes facts);

/// Reads `items` and step of the newest checkpoint, which `check` may refuse by its attributes. False if there is none.
bool load_state(const Exec& exec, sharding::DistributedModelParallel& model, const std::string& path,
                const std::vector<store::StateItem>& items,
                const std::function<void(const store::Attributes&, const std::string& file)>& check);

/// Purpose of loading a checkpoint: to go on training, to begin another run, or for its weights alone.
enum class Purpose { resume, start, weights };

/// A deck as effective_deck writes it: "model.bottom" -> "[64, 8]", "table.NAME.pooling" -> "\"sum\"".
std::map<std::string, std::string> flat_deck(const std::string& text);

/// Returns whether checkpoint.accept names the key or a block that it lies in.
bool accepts(const CheckpointSettings& checkpoint, const std::string& key);

/// Consequences of a difference that checkpoint.accept allows: weights, or optimizer states, that do not fit.
struct Explained {
  bool weights = false, states = false;
};

/// Error naming every key of the task whose value differs between the checkpoint's deck and the job's, with both
/// values, but for those in checkpoint.accept; returns what those explain. `same_files`: the training data are known to
/// have the same bytes, wherever they lie. A key that one of the two programs did not know is passed over.
Explained check_same_task(const std::string& deck_then, const Job& job, Purpose purpose, bool same_files,
                          const std::string& file);

/// A matrix of the model that nothing in the checkpoint fits.
struct Unfit {
  std::string name;
  std::string shapes;  ///< "8 x 4, here 16 x 4"
};

struct FittingState {
  std::vector<store::StateItem> items;  ///< to be read; of a table that has grown, the rows that the checkpoint has
  std::vector<std::string> grown;       ///< "C1 (1000 rows, 20 more here)"
  std::vector<Unfit> fresh;             ///< begin as in a new run
  std::vector<std::string> unused;      ///< of the checkpoint; its states only where the items have some
};

/// Selects this rank's `items` that the checkpoint's `then` has in shape, or, of a table, with fewer rows; states only
/// with their weights. `now`: shapes of all ranks' items, so that all get the same lists.
FittingState fitting_state(std::vector<store::StateItem> items, const store::StateRecords& now,
                           const store::StateRecords& then);

/// Returns whether a matrix is one of weights, not of an optimizer's states.
bool is_of_weights(const std::string& name);

}  // namespace tesserec::train
