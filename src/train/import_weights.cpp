// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "checkpoint_parts.hpp"
#include "imported_ids.hpp"
#include "matched_tensors.hpp"
#include "run_parts.hpp"
#include "tensor_names.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/train/import_weights.hpp>
#include <tesserec/train/model_state.hpp>

namespace tesserec::train {
namespace {

constexpr Index piece_bytes = Index{8} << 20;  // numbers that are read at once, by each rank

/// Rows of our matrix out of a tensor. A tensor in another order is read whole.
class TensorRows {
 public:
  explicit TensorRows(const MatchedTensor& matched) : matched_(matched) {
    if (!matched.transpose && matched.order.empty()) return;
    std::vector<float> there(std::size_t(matched.rows * matched.columns));
    store::read_numbers(matched.tensor, {0, std::ssize(there)}, there.data());
    whole_.resize(there.size());
    for (Index row = 0; row < matched.rows; ++row)
      for (Index column = 0; column < matched.columns; ++column) {
        const Index from = matched.order.empty() ? column : matched.order[std::size_t(column)];
        whole_[row * matched.columns + column] =
            matched.transpose ? there[from * matched.rows + row] : there[row * matched.columns + from];
      }
  }

  Index max_rows() const { return std::max<Index>(1, piece_bytes / (matched_.columns * Index{sizeof(float)})); }

  /// Returns the rows, [rows.size(), columns], valid until the next call. Throws Error for a number whose square is not
  /// finite, as no checkpoint has one.
  const float* read(Range rows) {
    const Index columns = matched_.columns;
    const float* numbers = whole_.data() + rows.begin * columns;
    if (whole_.empty()) {
      piece_.resize(std::size_t(rows.size() * columns));
      store::read_numbers(matched_.tensor, {rows.begin * columns, rows.end * columns}, piece_.data());
      numbers = piece_.data();
    }
    for (Index i = 0; i < rows.size() * columns; ++i)
      if (!std::isfinite(numbers[i] * numbers[i]))
        fail(matched_.tensor.path, ": tensor ", matched_.tensor.name, ", row ", rows.begin + i / columns, ", column ",
             i % columns, " is ", numbers[i], "; numbers and their squares must be finite");
    return numbers;
  }

 private:
  const MatchedTensor& matched_;
  std::vector<float> whole_, piece_;
};

/// Fills this rank's part of a matrix whose rows have another order in the file.
void fill_from_places(const Exec& exec, const MatchedTensor& matched, const store::StateItem& item) {
  TensorRows tensor(matched);
  const Index ld = item.source->ld(), own_rows = item.slab.rows;
  std::vector<float> own(std::size_t(own_rows * ld));
  for (Index first = 0; first < matched.rows; first += tensor.max_rows()) {
    const Range rows{first, std::min(first + tensor.max_rows(), matched.rows)};
    const float* const numbers = tensor.read(rows);
    for (Index there = rows.begin; there < rows.end; ++there) {
      const Index row = matched.our_row[std::size_t(there)] - item.slab.first_row;
      if (row < 0 || row >= own_rows) continue;
      const float* const from = numbers + (there - rows.begin) * matched.columns + item.slab.first_column;
      std::copy_n(from, item.width(), own.data() + row * ld);
    }
  }
  if (own_rows > 0) item.source->write(exec, {0, own_rows}, own.data());
}

/// Fills this rank's part of a matrix.
void fill(const Exec& exec, const MatchedTensor& matched, const store::StateItem& item) {
  if (!matched.our_row.empty()) return fill_from_places(exec, matched, item);
  TensorRows tensor(matched);
  const Index end = std::min(item.slab.first_row + item.slab.rows, matched.rows), ld = item.source->ld();
  std::vector<float> staged;
  for (Index first = item.slab.first_row; first < end; first += tensor.max_rows()) {
    const Range rows{first, std::min(first + tensor.max_rows(), end)};
    const float* const numbers = tensor.read(rows);
    const Range own{rows.begin - item.slab.first_row, rows.end - item.slab.first_row};
    float* const place = item.source->in_place(own);
    if (place == nullptr) staged.resize(std::size_t(rows.size() * ld));
    float* const to = place != nullptr ? place : staged.data();
    for (Index row = 0; row < rows.size(); ++row)
      std::copy_n(numbers + row * matched.columns + item.slab.first_column, item.width(), to + row * ld);
    if (place == nullptr) item.source->write(exec, own, to);
  }
}

/// Begins the run as training does, at step 0. Throws Error if its folder has checkpoints, unless run.overwrite.
Position begin_run(Session& session, Index epoch_samples) {
  const Job& job = session.job;
  if (job.checkpoint.keep == 0) fail("checkpoint.keep is 0, so tesserec import would write nothing; raise it");
  if (job.checkpoint.resume == "never")
    fail(
        "checkpoint.resume is \"never\", so tesserec train would begin without the imported weights; set it to "
        "\"auto\"");
  if (job.checkpoint.resume != "auto")
    fail("checkpoint.resume names a checkpoint, but tesserec import begins a run; name it with checkpoint.start_from");
  const parallel_io::CheckpointFolder folder(session.comm, job.checkpoint_folder());
  if (const auto own = folder.list(); !own.empty() && !job.run.overwrite)
    fail(folder.path(), " holds checkpoints up to step ", own.front().step,
         ", which tesserec import would replace; allow it with run.overwrite = true, or give this run another "
         "run.output");
  session.job.checkpoint.resume = "never";
  Position at = restore(session, epoch_samples).value_or(Position());
  if (at.origin.empty()) at.origin = import_origin;
  folder.prepare();
  return at;
}

/// Removes the result, the record and the metrics of a run that this one replaces. Collective.
void remove_records(const Session& session) {
  comm::agree(session.comm, [&] {
    if (session.comm.rank() != 0) return;
    const std::string folder = session.job.run.folder();
    bool removed = false;
    for (const char* name : {"/result.json", "/run.json", "/metrics.jsonl"})
      removed = std::filesystem::remove(folder + name) || removed;
    if (removed) store::sync_path(folder);
  });
}

/// Throws Error unless all ranks see the same tensors, and the same bytes in samples of their files.
void require_same_tensors(const comm::Communicator& comm, const store::TensorFile& file) {
  const auto text = [](const store::StoredTensor& tensor) {
    return concat(tensor.name, " ", tensor.type_text, " ", store::shape_text(tensor.shape), " at ", tensor.offset);
  };
  std::vector<comm::Named> seen = {{file.path(), join(file.tensors(), "; ", text)}};
  comm::agree(comm, [&] {
    std::set<std::string> paths;
    for (const store::StoredTensor& tensor : file.tensors())
      if (paths.insert(tensor.path).second)
        seen.push_back({"bytes of " + tensor.path, store::sampled_checksum(tensor.path)});
  });
  comm::require_same(comm, seen, "all ranks must read the same file; look for an older copy on another node");
}

/// Throws Error if the file's tables are of another vocabulary than the data, so that their rows stand for other
/// values.
void require_vocabulary(const Session& session, const store::TensorFile& file, const MatchedTensors& matched) {
  const auto found = file.metadata().find("vocabulary_digest");
  const data::SourceInfo& data = session.data;
  const bool has_tables =
      std::ranges::any_of(matched.of_matrix, [](const auto& entry) { return entry.first.starts_with("tables/"); });
  if (!has_tables || found == file.metadata().end() || found->second.empty() || data.vocabulary.empty()) return;
  if (found->second == data.vocabulary || std::ranges::count(data.vocabulary_extends, found->second) > 0) return;
  if (accepts(session.job.checkpoint, "data.train")) return;
  fail(file.path(), ": its tables are of the vocabulary ", found->second, ", but ", data.description, " has ",
       data.vocabulary,
       "; give data with that vocabulary, leave the tables out with --only, or allow it with checkpoint.accept = "
       "[\"data\"]");
}

}  // namespace

Imported import_weights(Session& session, const ImportSettings& settings, Index epoch_samples) {
  const comm::Communicator& comm = session.comm;
  const store::StateRecords shapes = parallel_io::state_shapes(comm, model_weights(comm, session.model));
  std::optional<MatchedTensors> matched;
  std::optional<store::TensorFile> file;
  comm::agree(comm, [&] {
    file.emplace(settings.from);
    matched = match_tensors(*file, shapes, session, settings);
    require_vocabulary(session, *file, *matched);
  });
  require_same_tensors(comm, *file);

  const RunLocks locks(comm, session.job);
  const Position at = begin_run(session, epoch_samples);
  comm::agree(comm, [&] { take_ids(session, *matched); });
  const std::vector<store::StateItem> items = model_weights(comm, session.model);
  comm::agree(comm, [&] {
    for (const store::StateItem& item : items)
      if (const auto found = matched->of_matrix.find(item.name); found != matched->of_matrix.end())
        fill(session.exec, found->second, item);
  });
  log_rounded(session, settings.from);
  Imported imported{.checkpoint = save(session, at, epoch_samples), .weights_digest = weights_digest(session)};
  // An import may fail, so the run that it replaces loses its best checkpoint, from which training would resume, and
  // its records only now.
  const parallel_io::CheckpointFolder folder(comm, session.job.checkpoint_folder());
  folder.mark_best(std::nullopt);
  folder.prune({at.step, ""}, kept_states(session.job.checkpoint, std::nullopt));
  remove_records(session);
  for (const auto& [matrix, tensor] : matched->of_matrix)
    imported.tensors.push_back({tensor_name(matrix), tensor.tensor.name});
  for (const auto& [table, ids] : matched->ids) imported.tensors.push_back({"tables." + table + ".ids", ids.name});
  imported.kept = std::move(matched->kept);
  imported.fewer_rows = std::move(matched->fewer_rows);
  imported.left_out = std::move(matched->left_out);
  return imported;
}

}  // namespace tesserec::train
