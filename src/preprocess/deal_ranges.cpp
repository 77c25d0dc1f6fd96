// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "raw_files.hpp"

namespace tesserec::preprocess {
namespace {

/// Part of a file that is dealt to ranks in pieces: blocks of its text, or row groups, or one piece for a whole file.
/// The last piece of a packed file ends where its text does.
struct OpenPart {
  FileRange range;
  Index step = 0;  ///< size of a piece
  Index most = 0;  ///< a range of a rank ends at the multiples of this
  Index count = 1;
  double weight = 0;  ///< bytes of text in a piece, about
  const RawFile* file = nullptr;

  /// Returns the cost of beginning with the piece `first`, bytes of text.
  double start(Index first) const { return passing_bytes(*file, range.bytes.begin + first * step); }
};

/// Adds the parts of a file that are not among `done`, which is in order.
void add_open_pieces(const RawFile& file, Index number, bool whole_files, std::span<const FileRange> done,
                     std::vector<OpenPart>& open) {
  constexpr Index endless = std::numeric_limits<Index>::max();
  const bool packed = file.compression != Compression::none, whole = !file.parquet && whole_files;
  const Index text_size = packed ? std::max(file.text, Index{1}) : file.bytes;
  const Index text_end = file.parquet ? file.row_groups : text_size;
  const Index end = whole || packed ? endless : text_end;
  OpenPart part{.range = {number, {}}, .step = text_block, .most = range_bytes, .file = &file};
  if (file.parquet) {
    part.step = 1;
    part.most = range_row_groups;
  }
  if (packed) part.most = endless;  // A cut costs.
  if (whole) part.step = part.most = endless;
  const auto add = [&](Range range) {
    if (range.size() <= 0) return;
    part.range.bytes = range;
    const Index known = std::max(std::min(range.end, text_end) - range.begin, Index{1});
    part.count = whole ? 1 : (known + part.step - 1) / part.step;
    part.weight = text_bytes(file, {range.begin, range.begin + std::min(part.step, known)});
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
      // A rank that could do little beside passing over what others read does not begin.
      const double start = part.start(first), room = most - load - start;
      const Index fitting = room < start / 4 ? 0 : std::min(Index(room / part.weight), part.count - first);
      if (fitting == 0) {
        if (load == 0 || ++rank == ranks) return false;
        load = 0;
        continue;
      }
      give(rank, part, Range{first, first + fitting});
      load += start + double(fitting) * part.weight;
      first += fitting;
    }
  return true;
}

}  // namespace

double text_bytes(const RawFile& file, const Range& range) {
  if (file.parquet) return double(file.bytes) * double(range.size()) / double(std::max(file.row_groups, Index{1}));
  if (file.compression != Compression::none)
    return double(std::max(std::min(range.end, file.text) - range.begin, Index{1}));
  return double(std::min(range.size(), file.bytes));
}

double passing_bytes(const RawFile& file, Index begin) {
  // Unpacking by ISA-L takes about a quarter of the time that reading takes.
  return file.compression == Compression::none ? 0 : 0.25 * double(begin);
}

std::vector<FileRange> deal_ranges(std::span<const RawFile> files, int rank, int ranks, bool whole_files,
                                   std::span<const FileRange> done) {
  std::vector<OpenPart> open;
  for (std::size_t f = 0; f < files.size(); ++f) add_open_pieces(files[f], Index(f), whole_files, done, open);
  double total = 0;
  for (const OpenPart& part : open) total += part.start(0) + double(part.count) * part.weight;
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

}  // namespace tesserec::preprocess
