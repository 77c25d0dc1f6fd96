// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <utility>

#include "checkpoint_parts.hpp"
#include "data_then.hpp"
#include "delta_state.hpp"
#include "growing_state.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/data/columns.hpp>
#include <tesserec/metrics/sample_sums.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/model_state.hpp>
#include <tesserec/train/trained_data.hpp>

namespace tesserec::train {
namespace {

/// Throws Error if batch size, columns, epoch length, seed, shuffling or lanes differ from the run that wrote the
/// checkpoint. checkpoint.accept allows another epoch length, and checkpoint.relane other lanes.
void check_same_run(const Session& session, Index epoch_samples, const store::Attributes& attributes,
                    const std::string& file) {
  const Job& job = session.job;
  const auto require_equal = [&](const char* name, Index now, const char* advice) {
    const auto then = store::attribute<std::int64_t>(attributes, name, file);
    if (then != now) fail(file, " was made with ", name, " = ", then, ", but this run has ", now, "; ", advice);
  };
  const char* fresh = ", or start anew with checkpoint.resume = \"never\"";
  require_equal("train.batch_size", job.train.step_samples(),
                (std::string("set train.batch_size (times train.accumulate) back") + fresh).c_str());
  require_same_columns(session.data, trained_data(attributes, file, job.tables, session.data));
  if (!accepts(job.checkpoint, "data.train"))
    require_equal(
        "samples_per_epoch", epoch_samples,
        (std::string("give the same training data, or allow other data with checkpoint.accept = [\"data\"]") + fresh)
            .c_str());
  check_same_windows(session, attributes, file);
  require_equal("run.seed", Index(job.run.seed), (std::string("set run.seed back") + fresh).c_str());
  if (std::ranges::any_of(session.model.tables().tables(), &embedding::EmbeddingBagConfig::grows) &&
      attributes.count("train.accumulate") != 0)
    require_equal("train.accumulate", job.train.accumulate,
                  (std::string("set train.accumulate back, because tables grow by micro-batches") + fresh).c_str());
  require_equal("train.shuffle", job.train.shuffle, (std::string("set train.shuffle back") + fresh).c_str());
  if (!job.checkpoint.relane)
    require_equal("train.lanes", session.lanes.count(),
                  "set train.lanes back, or set checkpoint.relane = true to resume with other bits");
  else if (store::attribute<std::int64_t>(attributes, "train.lanes", file) != session.lanes.count())
    log_info(
        "checkpoint.relane: train.lanes has changed, so results differ in bits from now on, and the rest of this epoch "
        "redistributes its samples");
}

/// Gives growing tables the ids of a checkpoint. Collective.
void restore_ids(const Session& session, const store::OpenCheckpoint& checkpoint, bool trained) {
  restore_growth(session.exec, session.comm, session.model.tables(), checkpoint.state, checkpoint.manifest.datasets,
                 trained);
}

/// Reads those of `items` that the checkpoint has, and logs the others. Throws Error for a matrix that does not fit,
/// unless accepted differences of the decks (`explained`) or its block in checkpoint.accept allow it. Returns whether
/// model and checkpoint have the same matrices. Collective.
bool read_fitting(Session& session, const store::OpenCheckpoint& checkpoint, const store::Attributes& attributes,
                  std::vector<store::StateItem> items, Explained explained) {
  const CheckpointSettings& settings = session.job.checkpoint;
  const std::string& file = checkpoint.state.path();
  const store::StateRecords shapes = parallel_io::state_shapes(session.comm, items);
  FittingState state = fitting_state(std::move(items), shapes, checkpoint.manifest.datasets);
  const auto text = [](const MisfitMatrix& matrix) { return matrix.name + " (" + matrix.shapes + ")"; };
  for (const MisfitMatrix& matrix : state.fresh) {
    const char* const block = matrix.name.starts_with("tables/") ? "table" : "model";
    const bool weights = explained.weights || accepts(settings, block);
    if (weights || (!is_of_weights(matrix.name) && (explained.states || accepts(settings, "optimizer")))) continue;
    if (matrix.name.starts_with("tables/")) require_newer_vocabulary(session.data, attributes, file, text(matrix));
    fail(file, " does not fit this model: ", text(matrix),
         "; give the model that shape back (a table by table.NAME.rows), or start the matrices that do not fit anew "
         "with checkpoint.accept = [\"",
         is_of_weights(matrix.name) ? block : "optimizer", "\"]");
  }
  parallel_io::read_state(session.exec, session.comm, checkpoint.state, state.items, store::Extent::part);
  log_rounded(session, file);
  if (!state.grown.empty())
    log_info("tables have more rows than in " + file +
             ", and the added rows start as in a new run: " + join(state.grown));
  if (!state.fresh.empty())
    log_common_warning(file + " has no fitting values of these matrices, which start as in a new run: " +
                       join(state.fresh, ", ", text));
  if (!state.unused.empty())
    log_common_warning(file + " has matrices that this model does not use: " + join(state.unused));
  return state.grown.empty() && state.fresh.empty() && state.unused.empty();
}

/// Returns the checkpoint's sums of the training samples' metrics. Returns none, and says so, if they are of other
/// labels. Throws Error if their number does not fit the labels.
std::vector<std::int64_t> running_metrics(const Session& session, const store::Attributes& attributes,
                                          const std::string& file) {
  if (attributes.count("running_metrics") == 0) return {};
  std::vector<std::string> tasks;
  if (attributes.count("tasks") != 0) tasks = store::attribute<std::vector<std::string>>(attributes, "tasks", file);
  if (tasks != session.data.tasks) {
    const auto text = [](const std::vector<std::string>& names) {
      return names.empty() ? "one label without a name" : join(names);
    };
    log_info(concat("train.metrics start anew, because the sums in ", file, " are of ", text(tasks),
                    ", but this run learns ", text(session.data.tasks)));
    return {};
  }
  const auto sums = store::attribute<std::vector<std::int64_t>>(attributes, "running_metrics", file);
  const std::size_t piece = metrics::SampleSums::words * std::size_t(session.job.model.labels());
  if (sums.size() % piece != 0 || sums.size() < 2 * piece)
    fail(file, ": running_metrics has ", sums.size(), " integers, which is not 2 or more times ", piece,
         "; name another checkpoint");
  return sums;
}

/// Resumes from the checkpoint and the deltas after it and returns the position. Collective.
Position resume_from(Session& session, const NamedCheckpoint& from, const std::vector<store::Checkpoint>& deltas,
                     Index epoch_samples) {
  const Timer timer;
  const store::OpenCheckpoint& checkpoint = from.open;
  std::optional<store::OpenCheckpoint> last;
  if (!deltas.empty()) last = parallel_io::open_delta(session.comm, deltas.back().folder);
  const store::OpenCheckpoint& newest = last ? *last : checkpoint;
  const std::string& file = newest.state.path();
  const store::Attributes attributes = store::read_attributes(newest.state);
  check_same_run(session, epoch_samples, attributes, file);
  const std::string content = content_then(attributes, file);
  const Explained explained = check_same_task(store::attribute<std::string>(attributes, "deck", file), session.job,
                                              Purpose::resume, same_files(session, content), file);
  check_same_bytes(session, content, file);
  restore_ids(session, checkpoint, true);
  const bool fits = read_fitting(session, checkpoint, attributes, all_items(session), explained);
  if (!fits && !deltas.empty()) {
    log_info(concat("deltas after ", from.folder, " are not used, so steps after ", checkpoint.manifest.step,
                    " are computed again: the model has other matrices than the run that wrote them"));
    return resume_from(session, from, {}, epoch_samples);
  }
  for (const store::Checkpoint& delta : deltas)  // one at a time, because each has many open files
    read_delta(session, parallel_io::open_delta(session.comm, delta.folder));
  Position at;
  // A delta has the deck of the state that it continues.
  if (fits && !explained.capacity && !newest.manifest.state.empty())
    at.continues = {newest.manifest.step, newest.manifest.state};
  at.deltas = std::ssize(deltas);
  at.step = store::attribute<std::int64_t>(attributes, "step", file);
  session.model.embeddings.resume(at.step);
  at.epoch = store::attribute<std::int64_t>(attributes, "epoch", file);
  at.batch = store::attribute<std::int64_t>(attributes, "batch", file);
  at.samples = store::attribute<std::int64_t>(attributes, "samples", file);
  at.loss_sum = store::attribute<double>(attributes, "loss_sum", file);
  at.loss_samples = store::attribute<std::int64_t>(attributes, "loss_samples", file);
  at.metrics = running_metrics(session, attributes, file);
  at.checkpoint = from.folder;
  if (has_another_dataset(session, epoch_samples, attributes, file)) {
    at.epoch = at.batch = 0;
    at.another_set = true;
    log_info(concat("the data set has changed, so step ", at.step + 1, " takes the first batch of ",
                    session.data.description));
  } else if (!content.empty() && !session.contents.empty() && !same_files(session, content)) {
    log_warning(concat(session.data.description,
                       " has other bytes than before under the same name and with as many samples, so ",
                       "training goes on at batch ", at.batch, " of epoch ", at.epoch,
                       " and takes no sample before it; name the file of each day otherwise to train on all of it"));
  }
  log_info(concat("resumed from ", from.folder, at.deltas > 0 ? " and " + counted(at.deltas, "delta") : "", ": step ",
                  at.step));
  log_info("checkpoint read" + rate_of(checkpoint.manifest.datasets, timer.seconds()));
  return at;
}

/// Throws Error if an optimizer's states depend on its number of steps, because the new run begins at step 0.
void check_states_begin(const Session& session) {
  const OptimizerSettings& optimizers = session.job.optimizer;
  const auto check = [](const optim::Settings& optimizer) {
    if (const optim::TypeInfo& type = optim::info(optimizer.type); type.counts_steps())
      fail("checkpoint.start_states is true, but states of ", type.name,
           " depend on the number of steps, and this run begins at step 0; set it false, or resume with "
           "checkpoint.resume = \"PATH\" and checkpoint.accept = [\"data\"]");
  };
  check(optimizers.dense);
  const auto& tables = session.model.tables();
  for (std::size_t t = 0; t < tables.tables().size(); ++t)
    check(planning::optimizer_of(tables.tables()[t], tables.plan()[t].kernel, optimizers.sparse, optimizers.dense));
}

/// Loads the checkpoint that checkpoint.start_from names and returns step 0; returns nothing if it names none.
/// Collective.
std::optional<Position> begin(Session& session) {
  const CheckpointSettings& settings = session.job.checkpoint;
  if (settings.start_from.empty()) return std::nullopt;
  if (settings.start_states) check_states_begin(session);
  const Timer timer;
  const NamedCheckpoint from = open_named(session.comm, settings.start_from, "checkpoint.start_from");
  const std::string& file = from.open.state.path();
  const store::Attributes attributes = store::read_attributes(from.open.state);
  require_same_columns(session.data, trained_data(attributes, file, session.job.tables, session.data));
  const Explained explained =
      check_same_task(store::attribute<std::string>(attributes, "deck", file), session.job, Purpose::start, true, file);
  restore_ids(session, from.open, settings.start_states);
  read_fitting(session, from.open, attributes,
               settings.start_states ? all_items(session) : model_weights(session.comm, session.model), explained);
  log_info(concat("started from the weights", settings.start_states ? " and optimizer states" : "", " of ", from.folder,
                  rate_of(from.open.manifest.datasets, timer.seconds())));
  Position at;
  at.origin = start_origin(from.open.manifest.state);
  return at;
}

/// Warns if a run that resumes from its own checkpoint did not begin with checkpoint.start_from. Collective.
void warn_if_start_unused(const Session& session, const store::Checkpoint& own) {
  const std::string& path = session.job.checkpoint.start_from;
  if (path.empty()) return;
  const std::string seal = parallel_io::seal_of(session.comm, parallel_io::find_checkpoint(session.comm, path));
  if (!seal.empty() && own.origin != start_origin(seal))
    log_common_warning("checkpoint.start_from = \"" + path + "\" is not used, because the run resumes from " +
                       own.folder + ", which did not start from it; give the run another run.output to start from it");
}

}  // namespace

void log_rounded(const Session& session, const std::string& file) {
  const auto& tables = session.model.tables();
  std::vector<Index> rounded(tables.tables().size());
  for (const auto& shard : tables.shards())
    if (shard.replica.index == 0) rounded[shard.table] += shard.rows->store().rounded();
  session.comm.sum(std::span<Index>(rounded));
  for (std::size_t t = 0; t < rounded.size(); ++t)
    if (const embedding::EmbeddingBagConfig& table = tables.tables()[t]; rounded[t] > 0)
      log_info(concat("table ", table.name, ": ", counted(rounded[t], "weight"), " of ", table.weights(), " in ", file,
                      " rounded to nearest, because the table has format ", name(table.weight_format())));
}

std::string start_origin(const std::string& seal) { return "start " + seal; }
std::string resume_origin(const std::string& seal) { return "resume " + seal; }

std::optional<Position> restore(Session& session, Index epoch_samples) {
  const Job& job = session.job;
  const std::string& resume = job.checkpoint.resume;
  if (resume != "never" || job.checkpoint.keep > 0) fill_content_checksums(session);
  const parallel_io::CheckpointFolder folder(session.comm, job.checkpoint_folder());
  const auto own = folder.list(), deltas = folder.deltas();
  Index newest_step = own.empty() ? 0 : own.front().step;
  if (!deltas.empty()) newest_step = std::max(newest_step, deltas.back().step);
  const auto require_overwrite = [&](const std::string& run) {
    if (!job.run.overwrite)
      fail(job.checkpoint_folder(), " holds checkpoints up to step ", newest_step, ", which ", run,
           " would replace; allow it with run.overwrite = true, or give this run another run.output");
  };
  if (resume == "never") {
    if (!own.empty()) require_overwrite("a run that starts anew (checkpoint.resume = \"never\")");
    return begin(session);
  }
  const auto resume_own = [&] {
    warn_if_start_unused(session, own.front());
    const NamedCheckpoint newest = open_named(session.comm, own.front().folder, "");
    const auto chain = parallel_io::unbroken_deltas(session.comm, folder, newest.open.manifest);
    Position at = resume_from(session, newest, chain, epoch_samples);
    at.is_own = true;
    at.origin = own.front().origin;
    return at;
  };
  if (own.empty() && !deltas.empty() && session.comm.rank() == 0)
    log_warning("deltas in " + folder.path() + " are not used, because there is no checkpoint that they continue");
  if (resume == "auto") return own.empty() ? begin(session) : resume_own();
  const std::string path = parallel_io::find_checkpoint(session.comm, resume),
                    seal = parallel_io::seal_of(session.comm, path);
  const std::string origin = own.empty() ? "" : own.front().origin;
  if (!origin.empty() && (seal.empty() ? origin.starts_with(resume_origin("")) : origin == resume_origin(seal))) {
    log_info("checkpoint.resume: this run has resumed from " + path + (seal.empty() ? ", which is gone," : "") +
             " before, and resumes from its own checkpoint now; another run.output resumes from there again");
    return resume_own();
  }
  NamedCheckpoint named = open_named(session.comm, resume, "checkpoint.resume");
  const bool is_own = std::any_of(own.begin(), own.end(), [&](const store::Checkpoint& checkpoint) {
    return std::filesystem::path(checkpoint.folder).lexically_normal() ==
           std::filesystem::path(named.folder).lexically_normal();
  });
  if (!own.empty() && (!is_own || newest_step > named.open.manifest.step))
    require_overwrite("a run that resumes from " + named.folder);
  Position at = resume_from(session, named, {}, epoch_samples);
  at.continues.reset();  // this run's newest checkpoint may be another one
  at.is_own = is_own;
  at.origin = resume_origin(named.open.manifest.state);
  return at;
}

}  // namespace tesserec::train
