// SPDX-License-Identifier: Apache-2.0
/// Functions that writing and reading checkpoints share: named state, the checkpoint's deck, and the state that fits a
/// model.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Lists this rank's parts of the session's weights and optimizer states.
std::vector<store::StateItem> all_items(const Session& session);

/// Fills session.contents with the checksums of the training files, unless that was done before. Collective.
void fill_content_checksums(Session& session);

/// Formats bytes, time and rate as ": 12.3 MB in 0.004 s, 3.1 GB/s".
std::string rate_of(const store::StateRecords& records, double seconds);

/// Checkpoint that open_named() has opened.
struct NamedCheckpoint {
  std::string folder;
  store::OpenCheckpoint open;
};
/// Opens the checkpoint that `path` names, as parallel_io::find_checkpoint does. Error messages name the deck's `key`
/// unless it is empty. Collective.
NamedCheckpoint open_named(const comm::Communicator& comm, const std::string& path, const std::string& key);

/// Writes `items`, the model's step and lanes, and `facts` as a checkpoint. Arguments and result are those of save().
std::string save_state(const Exec& exec, const sharding::DistributedModelParallel& model, const std::string& path,
                       Index keep, const std::vector<store::StateItem>& items, store::Attributes facts);

/// Reads the items that `items` returns, after growing tables have got their ids, and the step of the newest
/// checkpoint. `check` gets its attributes and may refuse it by an Error. Returns false if there is no checkpoint.
bool load_state(const Exec& exec, sharding::DistributedModelParallel& model, const std::string& path,
                const std::function<std::vector<store::StateItem>()>& items,
                const std::function<void(const store::Attributes&, const std::string& file)>& check);

/// Purpose of loading a checkpoint: to resume its run, to start another run, or to use its weights alone.
enum class Purpose { resume, start, weights };

/// Returns a deck, in the form that effective_deck writes, by key: "model.bottom" -> "[64, 8]", "table.NAME.pooling" ->
/// "\"sum\"".
std::map<std::string, std::string> flat_deck(const std::string& text);

/// Blocks until the last step's device work has ended. Throws Error if one of its messages failed.
void require_whole(const Session& session);

/// Returns the attributes of a checkpoint or a delta.
store::Attributes attributes_of(const Session& session, const Position& at, Index epoch_samples);

/// Calls body(), and adds the step and what is not saved ("delta") to its Error.
template <class Body>
std::invoke_result_t<Body> explain_unsaved(Index step, const std::string& kind, const Body& body) {
  const auto unsaved = [&](const Error& error) {
    return concat("step ", step, ": ", error.what(), "; this step has no ", kind,
                  ", but earlier checkpoints are unchanged");
  };
  try {
    return body();
  } catch (const Diverged& error) {
    throw Diverged(unsaved(Error(concat(error.what(), "; the model has diverged; lower the learning rate"))));
  } catch (const Error& error) {
    throw Error(unsaved(error));
  }
}

/// Returns the states of a run's folder that a new checkpoint leaves. `best`: step of the best evaluation.
parallel_io::CheckpointFolder::Kept kept_states(const CheckpointSettings& checkpoint, std::optional<Index> best);

/// Logs how many weights of a file were rounded to the formats of their tables. Collective.
void log_rounded(const Session& session, const std::string& file);

/// Returns whether checkpoint.accept names the key or a block that contains it.
bool accepts(const CheckpointSettings& checkpoint, const std::string& key);

/// Allowed differences between the decks.
struct Explained {
  bool weights = false, states = false;  ///< matrices that may not fit, because checkpoint.accept allows it
  bool capacity = false;                 ///< rows of a growing table
};

/// Throws Error naming each key of the task that differs between the checkpoint's deck and the job's, with both values.
/// Keys in checkpoint.accept may differ, and the result says what they explain. `same_files`: true if the training data
/// is known to have the same bytes, whatever its paths. A key that only one deck has is ignored, because another
/// version of the program wrote it; a whole table or stage is not.
Explained check_same_task(const std::string& deck_then, const Job& job, Purpose purpose, bool same_files,
                          const std::string& file);

/// Matrix of the model that no matrix of the checkpoint fits.
struct MisfitMatrix {
  std::string name;
  std::string shapes;  ///< shapes in both, "8 x 4, here 16 x 4"
};

struct FittingState {
  std::vector<store::StateItem> items;  ///< items to read; for a table that has grown, the checkpoint's rows alone
  std::vector<std::string> grown;       ///< grown tables, "C1 (1000 rows, 20 more here)"
  std::vector<MisfitMatrix> fresh;      ///< matrices that begin as in a new run
  std::vector<std::string> unused;      ///< the checkpoint's other matrices; its states only if the items have states
};

/// Selects this rank's `items` that the checkpoint holds in the same shape (`then`), or, for a table, with fewer rows.
/// Selects a state only if its weights fit. `now`: shapes of all ranks' items, so that all ranks get the same lists.
FittingState fitting_state(std::vector<store::StateItem> items, const store::StateRecords& now,
                           const store::StateRecords& then);

/// Returns whether `name` is a matrix of weights, not an optimizer state.
bool is_of_weights(const std::string& name);

}  // namespace tesserec::train
