// SPDX-License-Identifier: Apache-2.0
#include "raw_files.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <sstream>
#include <string_view>

#include <xxhash.h>

#include "line_reader.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::preprocess {
namespace {

using std::string_view_literals::operator""sv;

/// Format that is not text, by its magic number at offset `at`, bytes.
struct Format {
  std::size_t at;
  std::string_view magic;
  const char* description;
  const char* remedy;
};

constexpr const char* unpack = "unpack it, or pack it with gzip";
constexpr const char* write_text = "write it as delimited text";

constexpr Format formats[] = {
    {0, "PK\x03\x04"sv, "a zip archive (or a spreadsheet)", "unpack it, or save the sheet as CSV in UTF-8"},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     "compressed by xz", unpack},
    {0, "BZh"sv, "compressed by bzip2", unpack},
    {0, "\x28\xB5\x2F\xFD"sv, "compressed by zstd", unpack},
    {0, "\x04\x22\x4D\x18"sv, "compressed by lz4", unpack},
    {0, "7z\xBC\xAF\x27\x1C"sv, "a 7z archive", unpack},
    {0, "Rar!\x1A\x07"sv, "a rar archive", unpack},
    {257, "ustar"sv, "a tar archive", "unpack it and give the files in it"},
    {0, "\x1F\x8B"sv, "packed with gzip twice", "unpack it once"},
    {0, "ARROW1"sv, "an Arrow file", write_text},
    {0, "ORC"sv, "an ORC file", write_text},
    {0, "Obj\x01"sv, "an Avro file", write_text},
    {0, "\x89HDF\r\n\x1A\n"sv, "an HDF5 file",
     "data sets in HDF5 need no preprocessing: give it in data.train or data.evaluate"},
};

/// Returns why the first unpacked bytes of a file are not lines of UTF-8, with a remedy, or "". Detects UTF-16, UTF-32,
/// lines that end in carriage returns, and the magic numbers of common archives and binary formats.
std::string why_not_text(std::string_view beginning) {
  for (const Format& format : formats)
    if (beginning.size() >= format.at && beginning.substr(format.at).starts_with(format.magic))
      return concat("it is ", format.description, ", not text; ", format.remedy);
  constexpr const char* convert = " text, not UTF-8; convert it, e.g. with `iconv -f ";
  if (beginning.starts_with("\xFF\xFE\0\0"sv) || beginning.starts_with("\0\0\xFE\xFF"sv))
    return concat("it is UTF-32", convert, "UTF-32 -t UTF-8`");
  if (beginning.starts_with("\xFF\xFE"sv) || beginning.starts_with("\xFE\xFF"sv))
    return concat("it is UTF-16", convert, "UTF-16 -t UTF-8`");
  const std::size_t zero = beginning.find('\0');
  if (zero == 1 && beginning.size() > 3 && beginning[3] == '\0')
    return concat("it is UTF-16", convert, "UTF-16LE -t UTF-8`");
  if (zero == 0 && beginning.size() > 2 && beginning[2] == '\0' && beginning[1] != '\0')
    return concat("it is UTF-16", convert, "UTF-16BE -t UTF-8`");
  if (beginning.find('\r') != std::string_view::npos && beginning.find('\n') == std::string_view::npos)
    return "its lines end in carriage returns (\\r) alone; convert them to line feeds, e.g. with `tr '\\r' '\\n'`";
  return "";
}

std::string read_beginning(ByteReader& reader) {
  std::string text(std::size_t{1} << 16, '\0');
  text.resize(reader.read(text.data(), std::ssize(text)));
  return text;
}

RawFile inspect(const std::string& path, const std::string& key) {
  if (std::filesystem::is_directory(path))
    fail(key, ": ", path, " is a folder; name its files, or a glob like ", path, "/*");
  if (!std::filesystem::is_regular_file(path))
    fail(key, ": ", path, " is not a regular file; preprocess reads text twice, so give a file instead of a pipe");
  RawFile file{path, 0, false, {}};
  std::string beginning = read_beginning(*open_plain(path, 0));
  if (beginning.empty()) fail(path, ": the file is empty; remove it from ", key);
  file.gzip = beginning.starts_with("\x1f\x8b");
  file.bytes = std::filesystem::file_size(path);
  file.parquet = beginning.starts_with("PAR1");
  if (file.parquet) return file;
  if (file.gzip) beginning = read_beginning(*open_gzip(path));
  if (const std::string fault = why_not_text(beginning); !fault.empty()) fail(path, ": ", fault);
  if (!file.gzip && path.ends_with(".gz")) fail(path, ": its name ends in .gz, but it is not a gzip file; rename it");
  return file;
}

}  // namespace

std::vector<RawFile> find_raw_files(const comm::Communicator& comm, const std::vector<std::string>& patterns,
                                    const std::string& key) {
  std::vector<RawFile> files;
  std::string list;
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    for (const std::string& path : store::list_files(patterns, key)) {
      const RawFile file = inspect(path, key);
      list += concat(file.bytes, " ", file.gzip, " ", file.parquet, " ", file.path) + '\0';
    }
  });
  std::istringstream stream(comm.broadcast(list, 0));
  for (std::string item; std::getline(stream, item, '\0');) {
    RawFile& file = files.emplace_back();
    std::istringstream fields(item);
    fields >> file.bytes >> file.gzip >> file.parquet;
    fields.get();
    std::getline(fields, file.path, '\0');
  }
  std::vector<comm::Named> seen;
  comm::agree(comm, [&] {
    for (RawFile& file : files) {
      file.stamp = store::stamp_of(file.path);
      if (file.parquet) file.row_groups = parquet::shape_of(file.path).row_groups;
      seen.push_back({file.path, store::sampled_checksum(file.path)});
    }
  });
  comm::require_same(comm, seen, "all ranks must read the same files; look for an older copy on another node");
  return files;
}

void require_unchanged(std::span<const RawFile> files) {
  for (const RawFile& file : files) store::require_unchanged(file.path, file.stamp);
}

std::vector<FileRange> deal_ranges(std::span<const RawFile> files, int rank, int ranks, bool whole_files) {
  // Text unpacks to about three times its gzip size. The weights only balance the ranks; any would be correct.
  const auto weight = [](const RawFile& file) { return file.gzip ? 3 * file.bytes : file.bytes; };
  double total = 0;
  for (const RawFile& file : files) total += weight(file);
  const auto owner = [&](double at) { return std::min(ranks - 1, int(at / total * double(ranks))); };
  std::vector<FileRange> ranges;
  double at = 0;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const Index index = f;
    if (files[f].parquet) {
      const double bytes_per_group = double(files[f].bytes) / double(std::max(files[f].row_groups, Index{1}));
      Range own{0, 0};
      for (Index group = 0; group < files[f].row_groups; ++group)
        if (owner(at + double(group) * bytes_per_group) == rank) {
          if (own.size() == 0) own.begin = group;
          own.end = group + 1;
        }
      if (own.size() > 0) ranges.push_back({index, own});
    } else if (files[f].gzip || whole_files) {
      if (owner(at) == rank) ranges.push_back({index, {0, std::numeric_limits<Index>::max()}});
    } else {
      Range own{-1, -1};
      for (Index begin = 0; begin < files[f].bytes; begin += text_block)
        if (owner(at + double(begin)) == rank) {
          if (own.begin < 0) own.begin = begin;
          own.end = std::min(begin + text_block, files[f].bytes);
        }
      if (own.begin >= 0) ranges.push_back({index, own});
    }
    at += weight(files[f]);
  }
  return ranges;
}

std::vector<std::uint64_t> digests(const comm::Communicator& comm, std::span<const RawFile> files) {
  std::vector<std::uint64_t> file_digests(files.size(), 0);
  comm::agree(comm, [&] {
    std::vector<char> buffer(std::size_t{1} << 20);
    const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
    for (std::size_t f = 0; f < files.size(); ++f) {
      if (int(f % comm.size()) != comm.rank()) continue;
      const auto reader = open_plain(files[f].path, 0);
      XXH3_64bits_reset(state.get());
      Index bytes = 0;
      while (const Index got = reader->read(buffer.data(), std::ssize(buffer))) {
        XXH3_64bits_update(state.get(), buffer.data(), got);
        bytes += got;
      }
      if (bytes != files[f].bytes) {
        store::require_unchanged(files[f].path, files[f].stamp);
        fail(files[f].path, " was changed while it was being read; start the command again");
      }
      file_digests[f] = XXH3_64bits_digest(state.get());
    }
  });
  const auto all = comm.all_gather_equal(std::span<const std::uint64_t>(file_digests));
  for (std::size_t f = 0; f < files.size(); ++f) file_digests[f] = all[f % comm.size() * files.size() + f];
  return file_digests;
}

}  // namespace tesserec::preprocess
