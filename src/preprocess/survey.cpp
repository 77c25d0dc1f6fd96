// SPDX-License-Identifier: Apache-2.0
#include "survey.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "packing.hpp"
#include "phase_progress.hpp"
#include "range_recorder.hpp"
#include "range_reports.hpp"
#include "scratch_folder.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::preprocess {
namespace {

/// Returns whether a range begins before another in the order of the text.
bool before(const FileRange& a, const FileRange& b) {
  return std::pair(a.file, a.bytes.begin) < std::pair(b.file, b.bytes.begin);
}

/// Returns where this rank's `count` ranges stand among those of all ranks. Collective.
Range ranges_of_rank(const comm::Communicator& comm, Index count) {
  const std::vector<Index> counts = comm.all_gather(count);
  const Index begin = std::accumulate(counts.begin(), counts.begin() + comm.rank(), Index{0});
  return {begin, begin + count};
}

/// Returns what earlier starts have sealed of the files. Throws Error, for BadRows::stop, if one of them has left a row
/// out. Collective.
std::vector<ReadRanges> sealed_ranges(std::span<const RawFile> files, const ScratchFolder& scratch,
                                      const std::string& prefix, BadRows bad_rows) {
  std::vector<ReadRanges> done;
  for (const ScratchFolder::Sealed& file : scratch.sealed(prefix))
    done.push_back(unpack_ranges(file.path, file.footer));
  std::vector<const TextRange*> ranges;
  for (ReadRanges& read : done)
    for (TextRange& range : read.ranges) {
      range.kept.clear();  // The rows may have been lost with the machine that kept them.
      ranges.push_back(&range);
    }
  std::sort(ranges.begin(), ranges.end(), [](const auto* a, const auto* b) { return before(a->range, b->range); });
  Index file = -1, end = 0, lines = 0;  // `lines`: lines of the file before `end`, or -1 if some are not read yet
  for (const TextRange* range : ranges) {
    const RawFile& raw = files[std::size_t(range->range.file)];
    if (std::exchange(file, range->range.file) != range->range.file) end = lines = 0;
    const Index begin = range->range.bytes.begin;
    if (begin > end) lines = -1;
    if (bad_rows == BadRows::stop && range->count.bad_rows > 0) {
      const BadRow& bad = range->count.bad.front();
      std::string place = std::to_string(lines + bad.line);
      if (lines < 0) place = concat("line ", bad.line, raw.parquet ? " from row group " : " from byte ", begin, " on");
      fail(raw.path, ":", place, ": ", bad.reason,
           "; an earlier start left this row out; correct it, or leave out all bad rows with preprocess.bad_rows = "
           "\"skip\"");
    }
    if (lines >= 0) lines += range->count.lines;
    end = range->range.bytes.end;
  }
  return done;
}

/// Reads the ranges of this rank. Returns the message of a failure, with the `signal` that caused it.
std::string read_ranges(RowStream& rows, std::span<const FileRange> ranges, RangeRecorder& recorder,
                        const SurveyRules& rules, PhaseProgress& progress, int& signal) {
  try {
    Row row;
    std::size_t begun = 0;
    const auto begin_up_to = [&](std::size_t count) {
      for (; begun < count; ++begun) {
        if (begun > 0) recorder.end(rows.counts()[begun - 1]);
        recorder.begin(ranges[begun]);
      }
    };
    while (rows.next(row)) {
      begin_up_to(rows.counts().size());
      recorder.add(row, rules.targets, rows.block());
      progress.row(begun - 1, rows.block());
    }
    if (rows.stopped()) return {};
    begin_up_to(rows.counts().size());
    if (begun > 0) recorder.end(rows.counts()[begun - 1]);
    recorder.finish();
    return {};
  } catch (const Stopped& stopped) {
    signal = stopped.signal();
    return stopped.what();
  } catch (const std::exception& error) {
    return message_of(error);
  }
}

/// Adds what all ranks have sealed to `done`. Collective.
void gather_ranges(const comm::Communicator& comm, const RangeRecorder& recorder, std::vector<ReadRanges>& done) {
  std::string own;
  for (const ScratchFolder::Sealed& file : recorder.sealed()) {
    pack_text(file.path, own);
    pack_text(file.footer, own);
  }
  const std::vector<char> all = comm.all_gather(std::span<const char>(own));
  for (Unpacker unpacker({all.data(), all.size()}); !unpacker.done();) {
    const std::string path(unpacker.text());
    done.push_back(unpack_ranges(path, unpacker.text()));
  }
}

/// Returns about how many bytes of text files have. Parquet files count tenfold.
double text_of(std::span<const RawFile> files) {
  constexpr double of_parquet = 10;
  double bytes = 0;
  for (const RawFile& file : files)
    bytes += file.compression == Compression::none ? (file.parquet ? of_parquet : 1) * double(file.bytes)
                                                   : double(file.text);
  return bytes;
}

/// Returns whether the rows of files may be kept on scratch files: if the file system has four times the text free, for
/// these rows and the data set. Rank 0 says so if there is less. Collective.
bool has_room(const comm::Communicator& comm, std::span<const RawFile> files, const ScratchFolder& scratch) {
  const double needed = 4.0 * text_of(files);
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(scratch.folder(), error);
  const bool fits = !error && needed < double(space.available);
  if (comm.min(Index{fits}) == 1) return true;
  if (comm.rank() == 0)
    log_info(concat(scratch.folder(), ": the file system has ",
                    error ? error.message() : bytes_text(double(space.available)) + " free", ", less than ",
                    bytes_text(needed), ", so no rows are kept there and the text is read twice"));
  return false;
}

/// Throws Error unless the ordered ranges are the whole text of the files, once.
void require_whole(std::span<const RawFile> files, std::span<const TextRange> ranges, bool whole_files,
                   const ScratchFolder& scratch) {
  std::vector<FileRange> read;
  for (const TextRange& range : ranges) {
    const bool same_file = !read.empty() && read.back().file == range.range.file;
    if (same_file && range.range.bytes.begin < read.back().bytes.end)
      fail(scratch.folder(), ": its files hold text of ", files[std::size_t(range.range.file)].path,
           " twice, as if two jobs had written them; remove this folder and start the command again");
    read.push_back(range.range);
  }
  if (const std::vector<FileRange> open = deal_ranges(files, 0, 1, whole_files, read); !open.empty())
    fail(scratch.folder(), ": text of ", files[std::size_t(open.front().file)].path,
         " is missing in its files; start the command again");
}

/// Adds up the counts of all ranges, and lists the first bad rows of each file.
void sum_ranges(Survey& result, std::size_t bad_rows_kept) {
  result.report.files = file_reports(result.files, result.ranges, bad_rows_kept);
  for (const TextRange& range : result.ranges) {
    result.report.rows += range.count.rows;
    for (std::size_t i = 0; i < range.labels.size(); ++i) result.report.labels[i] += range.labels[i];
    result.report.further_labels.resize(range.further_labels.size(), 0);
    for (std::size_t i = 0; i < range.further_labels.size(); ++i)
      result.report.further_labels[i] += range.further_labels[i];
    result.report.labels_unread += range.unread_labels;
    for (std::size_t k = 0; k < range.key_bytes.size(); ++k)
      result.key_bytes[k] = std::max(result.key_bytes[k], range.key_bytes[k]);
    for (std::size_t f = 0; f < range.values.size(); ++f) result.all_values[f] += range.values[f];
  }
  for (const FileReport& file : result.report.files)
    if (file.rows + file.bad_rows == 0 && result.side.records == nullptr) fail_without_rows(file.path);
  require_good_rows(result.report.files);
}

/// Adds up the moments of all blocks in the order of the text, so that the sum does not depend on ranks. Rank 0 reads
/// them. Collective.
std::vector<Moments> total_moments(const comm::Communicator& comm, const Survey& survey, const RowLayout& layout) {
  std::vector<Moments> moments(layout.transforms.size());
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    std::vector<std::size_t> measured;
    for (std::size_t k = 0; k < moments.size(); ++k)
      if (layout.transforms[k] == Transform::standardise) measured.push_back(k);
    for (const TextRange& range : survey.ranges) {
      for (const ScratchPiece& piece : range.moments) {
        const std::string bytes = read_scratch(range.moments_path, {&piece, 1});
        std::vector<Moments> blocks(bytes.size() / sizeof(Moments));
        std::memcpy(blocks.data(), bytes.data(), bytes.size());
        for (std::size_t i = 0; i < blocks.size(); ++i) moments[measured[i % measured.size()]].add(blocks[i]);
      }
    }
  });
  comm.broadcast(moments, 0);
  return moments;
}

}  // namespace

Survey survey(const comm::Communicator& comm, std::vector<RawFile> files, const RowFormat& format,
              const ScratchFolder& scratch, const SurveyRules& rules) {
  const RowLayout& layout = format.layout();
  Survey result;
  result.targets = rules.targets;
  result.side = rules.side;
  result.files = std::move(files);
  result.all_values.assign(layout.features.size(), 0);
  result.key_bytes.assign(layout.keys.size(), 1);

  // Sequences are known by their place in a rank's share of the text, so the share must be the same in all readings.
  const bool shares = rules.side.sequences != nullptr;
  std::vector<ReadRanges> done;
  if (!shares) done = sealed_ranges(result.files, scratch, rules.prefix, rules.bad_rows);
  std::vector<FileRange> done_ranges;
  for (const ReadRanges& read : done)
    for (const TextRange& range : read.ranges) done_ranges.push_back(range.range);
  std::sort(done_ranges.begin(), done_ranges.end(), before);
  const std::vector<FileRange> own =
      deal_ranges(result.files, comm.rank(), comm.size(), layout.text.quoted_newlines, done_ranges);

  std::optional<RowStream> rows;
  comm::agree(comm, [&] { rows.emplace(result.files, own, format, rules.bad_rows, rules.targets, rules.side); });
  Recording what{.tokens = rules.learn, .rows = rules.learn && !shares && keeps_rows(layout)};
  if (rules.learn) scratch.remove(kept_files);
  if (what.rows) what.rows = has_room(comm, result.files, scratch);
  // A rank that reads what an earlier start has left reads other ranges in the second pass.
  constexpr Index kept_share = 8;
  const bool reads_all = done.empty();
  const Index kept = what.rows && reads_all ? rules.memory / kept_share : Index{0};
  result.kept = KeptMemory(kept);
  what.kept = &result.kept;
  std::optional<RangeRecorder> recorder(std::in_place, scratch, rules.prefix, layout, what, rules.memory - kept);
  PhaseProgress progress(comm, "reading " + rules.name, result.files, own);
  int signal = 0;
  // A rank that fails still joins the collectives. All ranks adopt the lowest rank's failure, the first in the text.
  std::string failure = read_ranges(*rows, own, *recorder, rules, progress, signal);
  const std::string stop = stop_reason(comm, *rows, result.files, own, done);
  if (failure.empty()) failure = stop;
  if (!failure.empty()) recorder.reset();  // removes its drafts before rank 0 may remove the folder
  comm::agree_on(comm, failure, signal);
  progress.finish();

  gather_ranges(comm, *recorder, done);
  for (ReadRanges& read : done) {
    std::move(read.ranges.begin(), read.ranges.end(), std::back_inserter(result.ranges));
    std::move(read.runs.begin(), read.runs.end(), std::back_inserter(result.runs));
  }
  order_ranges(result.ranges);
  require_whole(result.files, result.ranges, layout.text.quoted_newlines, scratch);
  result.own_ranges = shares || reads_all ? ranges_of_rank(comm, std::ssize(own))
                                          : deal_read_ranges(result.files, result.ranges, comm.rank(), comm.size());
  sum_ranges(result, RowStream::bad_rows_kept(rules.targets));
  if (rules.learn) result.moments = total_moments(comm, result, layout);
  return result;
}

}  // namespace tesserec::preprocess
