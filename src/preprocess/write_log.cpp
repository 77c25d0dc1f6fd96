// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <filesystem>
#include <optional>

#include <sys/stat.h>

#include "sample_blocks.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/parted_file.hpp>

namespace tesserec::preprocess {
namespace {

namespace fs = std::filesystem;

/// Folder FOLDER.tmp that gets its name when it is complete. All ranks must see it. All functions are collective.
class LogFolder {
 public:
  LogFolder(const comm::Communicator& comm, const std::string& path)
      : comm_(comm), path_((fs::path(path) / "").parent_path().string()), draft_(path_ + ".tmp") {
    comm::agree(comm, [&] {
      if (comm.rank() == 0) create();
    });
  }
  ~LogFolder() {
    std::error_code ignored;  // The next job for this folder names what stayed.
    if (is_ours_) fs::remove_all(draft_, ignored);
  }
  LogFolder(const LogFolder&) = delete;
  LogFolder& operator=(const LogFolder&) = delete;

  const std::string& draft() const { return draft_; }
  const std::string& path() const { return path_; }
  void publish() {
    comm::agree(comm_, [&] {
      if (comm_.rank() != 0) return;
      const Signals::Orderly orderly;  // A signal must not come between the rename and its end.
      store::sync_path(draft_);
      if (!store::rename_new_durably(draft_, path_)) fail_existing();
      is_ours_ = false;
    });
  }

 private:
  [[noreturn]] void fail_existing() const { fail(path_, " exists; name another folder with --write, or remove it"); }

  void create() {
    std::error_code unreadable;
    if (fs::exists(path_, unreadable)) fail_existing();
    store::make_folder_durably(fs::path(path_).parent_path().string());
    if (::mkdir(draft_.c_str(), 0777) != 0) {
      if (errno == EEXIST) fail(draft_, " exists: another job is writing it, or was killed; wait, or remove it");
      store::fail_errno(draft_, "create this folder");
    }
    open_.emplace(draft_);
    is_ours_ = true;
  }

  const comm::Communicator& comm_;
  std::string path_, draft_;
  std::optional<store::OpenDraft> open_;
  bool is_ours_ = false;
};

/// Says which parts of the source's files are not written.
void warn_of_lost(const data::SourceInfo& info) {
  bool times = false;
  for (const data::SourceFile& file : info.files)
    times = times || store::PartedFile::open(file.path).index().exists("time");
  if (times)
    log_warning(concat(info.description, ": the times of the samples are not written; data.window needs them"));
  if (!info.keys.empty()) log_warning(concat(info.description, ": the key columns are not written"));
}

}  // namespace

SampleBlocks::SampleBlocks(const Exec& exec, const LogSource& source, std::uint64_t seed)
    : source_(source.make({.batch_size = block_samples, .seed = seed})), batch_(exec) {
  source_->limit_rows(info().rows);
  source_->seek(0, 0);
}

const data::Batch& SampleBlocks::read(Index block) {
  if (block != next_) source_->seek(0, block);
  if (!source_->next(batch_))
    fail(info().description, " ended before block ", block, " of ", blocks(), "; it has fewer samples than it says");
  next_ = block + 1;
  return batch_;
}

std::vector<WrittenLog> write_logs(const Exec& exec, const comm::Communicator& comm, const LogWriting& writing,
                                   const std::vector<LogSource>& sources) {
  comm::agree(comm, [&] {
    if (writing.form == LogForm::parquet && !parquet::is_built())
      fail("--format parquet: this build has no Arrow to write Parquet files; configure with -DTESSEREC_PARQUET=ON ",
           "(docs/installing.md), or give --format gz");
  });
  LogFolder folder(comm, writing.folder);
  std::vector<WrittenLog> written;
  for (const LogSource& source : sources) {
    std::unique_ptr<SampleBlocks> blocks;
    comm::agree(comm, [&] { blocks = std::make_unique<SampleBlocks>(exec, source, writing.seed); });
    comm::agree(comm, [&] {
      if (comm.rank() == 0) warn_of_lost(blocks->info());
    });
    WrittenLog log{source.name, blocks->info().samples, 0, {}};
    if (writing.form == LogForm::hdf5) {
      log.files = {source.name + ".h5"};
      log.ids = write_samples(comm, folder.draft() + "/" + log.files[0], writing.part_bytes, *blocks);
    } else {
      log.files = write_raw(comm, folder.draft(), source.name, writing, *blocks);
      log.ids = log.samples * std::ssize(blocks->info().features);
    }
    for (std::string& file : log.files) file = folder.path() + "/" + file;
    written.push_back(log);
  }
  folder.publish();
  return written;
}

}  // namespace tesserec::preprocess
