// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/csv.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/store/parted_file.hpp>
#include <tesserec/store/text_draft.hpp>
#include <tesserec/train/scores_file.hpp>

namespace tesserec::train {
namespace {

constexpr const char* scores_format = "tesserec-scores";  // attribute `format`

/// Returns the columns of the scores in CSV: "score", or "score_LABEL" of each of several labels.
std::vector<std::string> columns_of(const std::vector<std::string>& tasks) {
  std::vector<std::string> columns;
  for (const std::string& task : tasks)
    if (tasks.size() > 1) columns.push_back("score_" + task);
  return columns.empty() ? std::vector<std::string>{"score"} : columns;
}

/// Returns the first line of a CSV file: the key columns, then those of the scores.
std::string head_of(const data::SourceInfo& info, const std::vector<std::string>& tasks) {
  std::vector<std::string> names;
  for (const data::KeyColumn& key : info.keys) names.push_back(key.name);
  std::ranges::copy(columns_of(tasks), std::back_inserter(names));
  return join(names, ",", csv_cell) + "\n";
}

/// Returns whether an existing file has scores: by its attribute `format`, or by the head that a CSV file would get.
bool has_scores(const std::string& path, const std::string& csv_head) {
  if (!csv_head.empty()) return read_file(path, "the file", csv_head.size()) == csv_head;
  try {
    const store::PartedFile file = store::PartedFile::open(path);
    return file.index().has_attribute("/", "format") &&
           file.index().attribute<std::string>("/", "format") == scores_format;
  } catch (const Error&) {
    return false;
  }
}

/// Throws Error if a file of scores at `path` would replace something else, or lie in a checkpoint or model folder.
/// `csv_head`: empty for HDF5.
void require_free(const std::string& path, const std::string& csv_head) {
  namespace fs = std::filesystem;
  std::error_code unreadable;  // the writer reports it
  if (const fs::path folder = fs::path(path).parent_path(); fs::exists(folder / "manifest.json", unreadable))
    fail(path, ": ", folder.string(), " is a checkpoint or model folder; write the scores elsewhere");
  if (fs::exists(path, unreadable) && !(fs::is_regular_file(path, unreadable) && has_scores(path, csv_head)))
    fail(path, " exists and is no ",
         csv_head.empty() ? "HDF5 file of scores"
                          : concat("CSV file of these scores, whose head is ", csv_head.substr(0, csv_head.size() - 1)),
         ", so it is not replaced; name another file for the scores, or remove it");
}

/// Reads the key columns of a range of samples, [keys] [samples, bytes of the column].
std::vector<std::vector<char>> keys_of(const data::Source& source, Range samples) {
  std::vector<std::vector<char>> texts;
  for (std::size_t k = 0; k < source.info().keys.size(); ++k) {
    std::vector<char>& column = texts.emplace_back(samples.size() * source.info().keys[k].bytes);
    if (samples.size() > 0) source.read_keys(k, samples, column.data());
  }
  return texts;
}

class Hdf5Scores final : public ScoresFile {
 public:
  Hdf5Scores(const Session& session, const data::Source& source, const std::string& path)
      : session_(session), source_(source), writer_(session.comm, path, layout(), {}, session.job.run.lock_wait) {}

  void write(Range samples, const data::Batch& batch, const std::vector<float>& scores) override {
    const store::Slab slab{samples.begin, samples.size()};
    std::vector<std::vector<char>> keys;
    comm::agree(session_.comm, [&] { keys = keys_of(source_, samples); });
    std::vector<const void*> data = {scores.data()};
    if (source_.info().labelled) data.push_back(batch.labels.data());
    for (const std::vector<char>& key : keys) data.push_back(key.data());
    std::vector<parallel_io::PartedWriter::SlabData> pieces;
    for (const void* column : data) pieces.push_back({pieces.size(), slab, column});
    writer_.write(pieces);
  }

  void publish() override {
    store::Attributes attributes = {
        {"format", std::string(scores_format)}, {"version", std::int64_t{1}}, {"samples", source_.info().samples}};
    std::vector<std::string> keys;
    for (const data::KeyColumn& key : source_.info().keys) keys.push_back(key.name);
    if (!keys.empty()) attributes["keys"] = keys;
    if (session_.job.model.labels() > 1) attributes["tasks"] = session_.job.model.tasks;
    writer_.end(attributes);
    writer_.prepare();
    const Signals::Orderly orderly;
    writer_.publish();
  }

 private:
  store::PartsLayout layout() const {
    using store::ElementType;
    const data::SourceInfo& info = source_.info();
    const Index labels = session_.job.model.labels(), columns = labels > 1 ? labels : -1;
    std::vector<store::DatasetShape> shapes = {{"scores", ElementType::f32, info.samples, columns}};
    if (info.labelled) shapes.push_back({"labels", ElementType::f32, info.samples, columns});
    for (const data::KeyColumn& key : info.keys)
      shapes.push_back({"keys/" + key.name, ElementType::u8, info.samples, key.bytes});
    return store::PartsLayout({shapes}, session_.job.run.part_bytes);
  }

  const Session& session_;
  const data::Source& source_;
  parallel_io::PartedWriter writer_;
};

/// Scores as CSV. Rank 0 writes the lines of all ranks, in the order of ranks.
class CsvScores final : public ScoresFile {
 public:
  CsvScores(const Session& session, const data::Source& source, const std::string& path)
      : comm_(session.comm), source_(source), columns_(columns_of(session.job.model.tasks)) {
    comm::agree(comm_, [&] {
      for (const data::KeyColumn& key : source.info().keys)
        if (std::find(columns_.begin(), columns_.end(), key.name) != columns_.end())
          fail(source.info().description, ": a key column is named \"", key.name,
               "\", like the column of the scores; rename it");
      if (comm_.rank() == 0) draft_.emplace(path, session.job.run.lock_wait);
      if (draft_) draft_->write(head_of(source.info(), session.job.model.tasks));
    });
  }

  void write(Range samples, const data::Batch&, const std::vector<float>& scores) override {
    std::string lines;
    comm::agree(comm_, [&] { lines = lines_of(samples, scores); });
    const std::vector<char> all = comm_.all_gather(std::span<const char>(lines));
    comm::agree(comm_, [&] {
      if (draft_) draft_->write({all.data(), all.size()});
    });
  }

  void publish() override {
    const Signals::Orderly orderly;
    comm::agree(comm_, [&] {
      if (draft_) draft_->publish();
    });
  }

 private:
  std::string lines_of(Range samples, const std::vector<float>& scores) const {
    const std::vector<std::vector<char>> keys = keys_of(source_, samples);
    std::string lines;
    for (Index i = 0; i < samples.size(); ++i) {
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const Index bytes = source_.info().keys[k].bytes;
        const std::string_view padded(keys[k].data() + i * bytes, bytes);
        lines += csv_cell(padded.substr(0, padded.find('\0'))) + ",";
      }
      const std::span<const float> own(scores.data() + i * std::ssize(columns_), columns_.size());
      lines += join(own, ",", [](float score) { return shortest(score); }) + "\n";
    }
    return lines;
  }

  const comm::Communicator& comm_;
  const data::Source& source_;
  std::vector<std::string> columns_;       ///< names of the columns of the scores
  std::optional<store::TextDraft> draft_;  ///< nothing except on rank 0
};

}  // namespace

std::unique_ptr<ScoresFile> make_scores_file(const Session& session, const data::Source& source,
                                             const std::string& path, ScoresFormat format) {
  comm::agree(session.comm, [&] {
    if (session.comm.rank() == 0)
      require_free(path, format == ScoresFormat::csv ? head_of(source.info(), session.job.model.tasks) : "");
  });
  if (format == ScoresFormat::csv) return std::make_unique<CsvScores>(session, source, path);
  return std::make_unique<Hdf5Scores>(session, source, path);
}

}  // namespace tesserec::train
