// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>

#include "sample_blocks.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/store/folder_draft.hpp>
#include <tesserec/store/parted_file.hpp>

namespace tesserec::preprocess {
namespace {

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
  std::optional<store::FolderDraft> folder;  // of rank 0; all ranks must see it
  comm::agree(comm, [&] {
    if (comm.rank() == 0) folder.emplace(writing.folder, "--write");
  });
  const std::string draft = comm.broadcast(folder ? folder->draft() : "", 0);
  const std::string path = comm.broadcast(folder ? folder->path() : "", 0);
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
      log.ids = write_samples(comm, draft + "/" + log.files[0], writing.part_bytes, *blocks);
    } else {
      log.files = write_raw(comm, draft, source.name, writing, *blocks);
      log.ids = log.samples * std::ssize(blocks->info().features);
    }
    for (std::string& file : log.files) file = path + "/" + file;
    written.push_back(log);
  }
  comm::agree(comm, [&] {
    if (folder) folder->publish();
  });
  return written;
}

}  // namespace tesserec::preprocess
