// SPDX-License-Identifier: Apache-2.0
#include "tally_files.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "packing.hpp"
#include "scratch_file.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::preprocess {
namespace {

constexpr double tally_seconds = 30;  // between two files

/// Place of a range in the raw files.
using Place = std::tuple<Index, Index, Index>;

Place place_of(const FileRange& range) { return {range.file, range.bytes.begin, range.bytes.end}; }

}  // namespace

TallyFiles::TallyFiles(const ScratchFolder& scratch, const std::string& key, const Survey& survey)
    : scratch_(scratch), name_(concat("tally-", key, "-")), survey_(survey) {}

std::vector<std::string> TallyFiles::read() const {
  std::map<Place, std::string> found;
  for (const ScratchFolder::Sealed& file : scratch_.sealed(name_))
    for (Unpacker unpacker(file.footer); !unpacker.done();) {
      const Index number = unpacker.index(), begin = unpacker.index(), end = unpacker.index();
      found[{number, begin, end}] = unpacker.text();
    }
  std::vector<std::string> tallies;
  for (const TextRange& range : survey_.own()) tallies.push_back(found[place_of(range.range)]);
  return tallies;
}

void TallyFiles::add(Index range, const ColumnTally& tally) {
  const auto [file, begin, end] = place_of(survey_.own()[std::size_t(range)].range);
  if (packed_.empty()) path_ = scratch_.path(concat(name_, file, "-", begin));
  for (const Index number : {file, begin, end}) pack_number(std::uint64_t(number), packed_);
  pack_text(tally.pack(range), packed_);
}

void TallyFiles::seal(bool now) {
  if (packed_.empty() || (!now && timer_.seconds() < tally_seconds)) return;
  ScratchWriter(path_).seal(packed_);
  packed_.clear();
  timer_.reset();
}

}  // namespace tesserec::preprocess
