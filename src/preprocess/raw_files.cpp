// SPDX-License-Identifier: Apache-2.0
#include "raw_files.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

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

constexpr const char* unpack = "unpack it, or pack it with gzip or zstd";
constexpr const char* write_text = "write it as delimited text";

constexpr Format formats[] = {
    {0, "PK\x03\x04"sv, "a zip archive (or a spreadsheet)", "unpack it, or save the sheet as CSV in UTF-8"},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     "compressed by xz", unpack},
    {0, "BZh"sv, "compressed by bzip2", unpack},
    {0, "\x28\xB5\x2F\xFD"sv, "packed with zstd twice", "unpack it once"},
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

}  // namespace

RawFile inspected(const std::string& path, const std::string& key) {
  if (std::filesystem::is_directory(path))
    fail(key, ": ", path, " is a folder; name its files, or a glob like ", path, "/*");
  if (!std::filesystem::is_regular_file(path))
    fail(key, ": ", path, " is not a regular file; preprocess may read a file twice, so give a file instead of a pipe");
  RawFile file{path};
  std::string beginning = read_beginning(*open_plain(path, 0));
  if (beginning.empty()) fail(path, ": the file is empty; remove it from ", key);
  file.compression = compression_of(beginning);
  file.bytes = std::filesystem::file_size(path);
  file.parquet = beginning.starts_with("PAR1");
  if (file.parquet) return file;
  if (file.compression != Compression::none) beginning = read_beginning(*open_packed(path, file.compression));
  if (const std::string fault = why_not_text(beginning); !fault.empty()) fail(path, ": ", fault);
  for (const auto& [ending, compression] : {std::pair(".gz", Compression::gzip), std::pair(".zst", Compression::zstd)})
    if (path.ends_with(ending) && file.compression != compression)
      fail(path, ": its name ends in ", ending, ", but it is not a ",
           compression == Compression::gzip ? "gzip" : "zstd", " file; rename it");
  return file;
}

namespace {

/// Returns the digest of a file's bytes. Calls changed() and throws Error if a range of `read` in file number `number`
/// has other bytes.
std::uint64_t digest_of(const RawFile& file, Index number, std::span<const ReadText> read,
                        const std::function<void()>& changed) {
  constexpr Index all = std::numeric_limits<Index>::max();
  std::vector<char> buffer(std::size_t{1} << 20);
  const auto whole = open_plain(file.path, 0, {0, all});
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> part(XXH3_createState(), &XXH3_freeState);
  Index at = 0;
  bool same = true;
  // Reads to `end`, or to the end of the file, and returns the digest of these bytes.
  const auto read_to = [&](Index end) {
    XXH3_64bits_reset(part.get());
    while (at < end) {
      const Index got = whole->read(buffer.data(), std::min(std::ssize(buffer), end - at));
      if (got == 0) break;
      XXH3_64bits_update(part.get(), buffer.data(), std::size_t(got));
      at += got;
    }
    return XXH3_64bits_digest(part.get());
  };
  for (const ReadText& text : read) {
    if (text.range.file != number || file.parquet) continue;
    if (file.compression != Compression::none) {
      read_to(text.digested);
      same = whole->digest() == text.digest && same;
      continue;
    }
    read_to(text.range.bytes.begin);
    same = read_to(text.range.bytes.end) == text.digest && same;
  }
  read_to(all);
  if (same && at == file.bytes) return whole->digest();
  if (!same && changed) changed();
  store::require_unchanged(file.path, file.stamp);
  fail(file.path,
       " was changed while it was being read; leave the raw files alone until the command ends, and start it again");
}

/// Sets the sizes of the text of packed files, as far as the beginning of the largest one tells.
void measure_text(std::vector<RawFile>& files) {
  const RawFile* largest = nullptr;
  for (const RawFile& file : files)
    if (file.compression != Compression::none && (largest == nullptr || file.bytes > largest->bytes)) largest = &file;
  if (largest == nullptr) return;
  const double rate = text_per_byte(largest->path, largest->compression);
  for (RawFile& file : files)
    if (file.compression != Compression::none) file.text = Index(rate * double(file.bytes));
}

}  // namespace

std::vector<RawFile> find_raw_files(const comm::Communicator& comm, const std::vector<std::string>& patterns,
                                    const std::string& key) {
  std::vector<RawFile> files;
  std::string list;
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    std::vector<RawFile> found;
    for (const std::string& path : store::list_files(patterns, key)) found.push_back(inspected(path, key));
    measure_text(found);
    for (const RawFile& file : found)
      list += concat(file.bytes, " ", int(file.compression), " ", file.parquet, " ", file.text, " ", file.path) + '\0';
  });
  std::istringstream stream(comm.broadcast(list, 0));
  for (std::string item; std::getline(stream, item, '\0');) {
    RawFile& file = files.emplace_back();
    std::istringstream fields(item);
    int compression = 0;
    fields >> file.bytes >> compression >> file.parquet >> file.text;
    file.compression = Compression(compression);
    fields.get();
    std::getline(fields, file.path, '\0');
  }
  std::vector<comm::Named> seen;
  comm::agree(comm, [&] {
    for (RawFile& file : files) {
      file.stamp = store::stamp_of(file.path);
      if (file.parquet) file.row_groups = parquet::shape_of(file.path).row_groups;
      file.sampled = store::sampled_checksum(file.path);
      seen.push_back({file.path, file.sampled});
    }
  });
  comm::require_same(comm, seen, "all ranks must read the same files; look for an older copy on another node");
  return files;
}

void require_unchanged(std::span<const RawFile> files) {
  for (const RawFile& file : files) store::require_unchanged(file.path, file.stamp);
}

std::vector<std::uint64_t> digests(const comm::Communicator& comm, std::span<const RawFile> files,
                                   std::span<const ReadText> read, const std::function<void()>& changed) {
  std::vector<std::uint64_t> file_digests(files.size(), 0);
  comm::agree(comm, [&] {
    for (std::size_t f = 0; f < files.size(); ++f)
      if (int(f % comm.size()) == comm.rank()) file_digests[f] = digest_of(files[f], Index(f), read, changed);
  });
  const auto all = comm.all_gather_equal(std::span<const std::uint64_t>(file_digests));
  for (std::size_t f = 0; f < files.size(); ++f) file_digests[f] = all[f % comm.size() * files.size() + f];
  return file_digests;
}

}  // namespace tesserec::preprocess
