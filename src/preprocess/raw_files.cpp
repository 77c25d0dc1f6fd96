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

/// Part of a file that is dealt to ranks in pieces: blocks of its text, or row groups, or one piece for a whole file.
struct OpenPart {
  FileRange range;
  Index step = 0;  ///< size of a piece
  Index most = 0;  ///< a range of a rank ends at the multiples of this
  Index count = 1;
  double weight = 0;  ///< bytes of text in a piece, about
};

/// Adds the parts of a file that are not among `done`, which is in order.
void add_open_pieces(const RawFile& file, Index number, bool whole_files, std::span<const FileRange> done,
                     std::vector<OpenPart>& open) {
  const bool whole = !file.parquet && (whole_files || file.compression != Compression::none);
  const Index text_end = file.parquet ? file.row_groups : file.bytes;
  const Index end = whole ? std::numeric_limits<Index>::max() : text_end;
  OpenPart part{.range = {number, {}}, .step = text_block, .most = range_bytes};
  if (file.parquet) {
    part.step = 1;
    part.most = range_row_groups;
  }
  if (whole) part.step = part.most = end;
  const auto add = [&](Range range) {
    if (range.size() <= 0) return;
    part.range.bytes = range;
    part.count = whole ? 1 : (range.size() + part.step - 1) / part.step;
    part.weight = text_bytes(file, {range.begin, range.begin + std::min(part.step, range.size())});
    open.push_back(part);
  };
  Index at = 0;
  for (const FileRange& range : done) {
    if (range.file != number) continue;
    add({at, range.bytes.begin});
    at = range.bytes.end;
  }
  add({at, end});
}

/// Deals the pieces to the ranks in order, to each as many as `most` bytes allow. Calls give(rank, part, range of its
/// pieces) for each run. Returns false if the ranks do not suffice.
template <class Give>
bool deal_pieces(const std::vector<OpenPart>& parts, int ranks, double most, const Give& give) {
  int rank = 0;
  double load = 0;
  for (const OpenPart& part : parts)
    for (Index first = 0; first < part.count;) {
      const Index fitting = std::min(Index((most - load) / part.weight), part.count - first);
      if (fitting == 0) {
        if (load == 0 || ++rank == ranks) return false;
        load = 0;
        continue;
      }
      give(rank, part, Range{first, first + fitting});
      load += double(fitting) * part.weight;
      first += fitting;
    }
  return true;
}

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

}  // namespace

std::vector<RawFile> find_raw_files(const comm::Communicator& comm, const std::vector<std::string>& patterns,
                                    const std::string& key) {
  std::vector<RawFile> files;
  std::string list;
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    for (const std::string& path : store::list_files(patterns, key)) {
      const RawFile file = inspected(path, key);
      list += concat(file.bytes, " ", int(file.compression), " ", file.parquet, " ", file.path) + '\0';
    }
  });
  std::istringstream stream(comm.broadcast(list, 0));
  for (std::string item; std::getline(stream, item, '\0');) {
    RawFile& file = files.emplace_back();
    std::istringstream fields(item);
    int compression = 0;
    fields >> file.bytes >> compression >> file.parquet;
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

double text_bytes(const RawFile& file, const Range& range) {
  constexpr double unpacked_size =
      3;  // Text unpacks to about three times its size. The weights only balance the ranks.
  if (file.parquet) return double(file.bytes) * double(range.size()) / double(std::max(file.row_groups, Index{1}));
  if (file.compression != Compression::none) return unpacked_size * double(file.bytes);
  return double(std::min(range.size(), file.bytes));
}

std::vector<FileRange> deal_ranges(std::span<const RawFile> files, int rank, int ranks, bool whole_files,
                                   std::span<const FileRange> done) {
  std::vector<OpenPart> open;
  for (std::size_t f = 0; f < files.size(); ++f) add_open_pieces(files[f], Index(f), whole_files, done, open);
  double total = 0;
  for (const OpenPart& part : open) total += double(part.count) * part.weight;
  // The least load that suffices lies between an even share and all.
  double too_little = 0, most = 1.001 * total + 1;
  const auto ignore = [](int, const OpenPart&, Range) {};
  for (int halving = 0; halving < 50; ++halving) {
    const double middle = (too_little + most) / 2;
    (deal_pieces(open, ranks, middle, ignore) ? most : too_little) = middle;
  }
  std::vector<FileRange> ranges;
  deal_pieces(open, ranks, most, [&](int owner, const OpenPart& part, Range run) {
    if (owner != rank) return;
    const Range& all = part.range.bytes;
    const Index end = run.end == part.count ? all.end : all.begin + run.end * part.step;
    for (Index begin = all.begin + run.begin * part.step, stop; begin < end; begin = stop) {
      stop = std::min(end, (begin / part.most + 1) * part.most);
      ranges.push_back({part.range.file, {begin, stop}});
    }
  });
  return ranges;
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
