// SPDX-License-Identifier: Apache-2.0
// Jobs with little memory that are interrupted, for tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>

#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include "src/preprocess/checked_format.hpp"
#include "src/preprocess/encoding.hpp"
#include "src/preprocess/job_key.hpp"
#include "src/preprocess/row_split.hpp"
#include "src/preprocess/scratch_folder.hpp"
#include "src/preprocess/survey.hpp"
#include <tesserec/core/random.hpp>

namespace tesserec::preprocess {

namespace fs = std::filesystem;

/// Makes rows of a label, a number and two categories, of which the first has many values of 200 bytes. They are more
/// than the piece of a vocabulary that a rank holds in memory at least.
inline std::string many_values(Index rows, std::uint64_t seed) {
  const Random random(seed, Purpose::test);
  std::string text;
  for (Index i = 0; i < rows; ++i) {
    const Index value = random.below(2, i, 0) == 0 ? random.below(20, i, 1) : random.below(10000, i, 1);
    text += std::to_string(random.below(2, i, 2)) + "," + std::to_string(random.below(1000, i, 3)) + "," +
            std::string(196, 'v') + std::to_string(value) + (i % 7 == 0 ? "|x" : "") + "," +
            std::to_string(random.below(50, i, 4)) + "\n";
  }
  return text;
}

/// Returns the settings of such rows. `bag`: the separator of the first category, or "".
inline Settings settings_of(const std::string& bag) {
  Settings settings;
  settings.format = RawFormat::table;
  Column number{"n", ColumnKind::number, Transform::standardise};
  Column many{"many", ColumnKind::category}, few{"few", ColumnKind::category};
  many.separator = bag;
  settings.columns = {{"y", ColumnKind::label, Transform::none, {"1"}, {"0"}}, number, many, few};
  return settings;
}

inline void require_same(const std::string& folder, const std::string& other, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    INFO(folder << " " << file);
    REQUIRE(test::read_bytes(folder + "/" + file) == test::read_bytes(other + "/" + file));
  }
}

/// Returns the names in a folder.
inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Work of a job before it is interrupted.
enum class Until { counted, sorted, written };

/// Does the work of run() for the training files with little memory, and leaves its scratch folder and parts.
inline void interrupt(const comm::Communicator& comm, const Settings& settings, Until until = Until::counted) {
  constexpr Index memory = 1;  // bytes
  const std::vector<RawFile> files = find_raw_files(comm, settings.train, "preprocess.train");
  const auto format = make_row_format(settings);
  if (comm.rank() == 0) fs::create_directories(settings.output);
  comm.barrier();
  ScratchFolder scratch(comm, settings.output, job_key(settings, files), 0);
  const std::string prefix = "train-" + files_key(files) + "-";
  const bool splits = settings.split.by != SplitBy::none;
  const RowSplit split = splits ? split_rows(comm, files, *format, settings) : RowSplit();
  const SplitSide side{splits ? &split.records : nullptr, false};
  Survey train = survey(comm, files, *format, scratch,
                        {"train", prefix, settings.bad_rows, true, Targets::required, memory, side});
  if (until != Until::counted) {
    const Encoding encoding = learn_encoding(comm, train, format->layout(), {scratch, settings.minimum_count, memory});
    REQUIRE_FALSE(encoding.resident());
    if (until == Until::written)
      write_dataset(comm, settings.output + "/train.h5", train, *format, encoding,
                    {scratch, "train", true, settings.part_bytes, 0, memory});
  }
  scratch.keep();
  comm.barrier();
}

/// Returns the path of the only scratch folder in a folder.
inline std::string scratch_of(const std::string& output) { return output + "/" + names_in(output).front(); }

/// Writes into a file from byte `at` on, and restores the time of its last write.
inline void put_with_time(const std::string& path, Index at, std::string_view text) {
  struct stat before {};
  ::stat(path.c_str(), &before);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(at) << text;
  const timespec times[] = {before.st_atim, before.st_mtim};
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

/// Calls change() on rank 0 between two barriers.
template <class Change>
inline void on_first(const comm::Communicator& comm, const Change& change) {
  comm.barrier();
  if (comm.rank() == 0) change();
  comm.barrier();
}

/// Changes a label of a text of many_values() that is not among the bytes that are sampled for the key of a scratch
/// folder, but neither the size nor the time of the file. Collective.
inline void change_label(const comm::Communicator& comm, const std::string& path, const std::string& text) {
  const auto at = Index(text.find('\n', text.size() / 126) + 1);
  on_first(comm, [&] { put_with_time(path, at, text[std::size_t(at)] == '0' ? "1" : "0"); });
}

}  // namespace tesserec::preprocess
