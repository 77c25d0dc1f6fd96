// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include <tesserec/core/error.hpp>
#include <tesserec/store/file_list.hpp>
#include <tesserec/store/parted_file.hpp>
#include <tesserec/store/seal.hpp>

namespace tesserec::store {
namespace {

constexpr std::size_t max_open = 128;  // open parts; a process may open about 1000 files

}  // namespace

PartedFile PartedFile::open(const std::string& path, Trust trust) {
  require_file(path);
  const Stamp stamp = stamp_of(path);
  const std::optional<Seal> seal = read_seal(path);
  if (seal) require_sealed(path, *seal);
  PartedFile file(File::open(path, trust));
  require_unchanged(path, stamp);
  if (seal) file.seal_ = seal->text();
  if (file.index_.has_attribute("/", "part"))
    fail(path, ": this is part ", file.index_.attribute<std::int64_t>("/", "part"),
         " of a file in parts; give the index, which names the parts, instead");
  if (!file.index_.has_attribute("/", "parts")) return file;
  const std::string above = std::filesystem::path(path).parent_path().string();
  for (const std::string& text : file.index_.attribute<std::vector<std::string>>("/", "parts")) {
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || !Seal::from_text(text.substr(space + 1)))
      fail(path, ": attribute parts has the invalid entry \"", text, "\"");
    file.parts_.push_back({(above.empty() ? "" : above + "/") + text.substr(0, space), text.substr(space + 1)});
  }
  return file;
}

const std::vector<PartedFile::Run>& PartedFile::runs_of(const std::string& dataset) const {
  if (const auto found = open_->runs.find(dataset); found != open_->runs.end()) return found->second;
  std::vector<Run> runs;
  if (!parts_.empty() && index_.has_attribute(dataset, "parts")) {
    const auto numbers = index_.attribute<std::vector<std::int64_t>>(dataset, "parts");
    if (numbers.size() % 3 != 0)
      fail(path(), ": ", dataset, ": attribute parts has ", numbers.size(), " numbers, not 3 per part");
    const std::vector<Index> shape = index_.shape(dataset);
    const Index rows = shape.empty() ? 0 : shape.front();
    Index row = 0;
    for (std::size_t i = 0; i < numbers.size(); i += 3) {
      runs.push_back({std::size_t(numbers[i]), numbers[i + 1], numbers[i + 2]});
      const Run& run = runs.back();
      if (run.part >= parts_.size() || run.first_row != row || run.rows <= 0 || run.rows > rows - row)
        fail(path(), ": ", dataset, ": attribute parts has an invalid run (part ", run.part, ", first row ",
             run.first_row, ", rows ", run.rows, ")");
      row += run.rows;
    }
    if (row != rows) fail(path(), ": ", dataset, ": attribute parts covers ", row, " of ", rows, " rows");
  }
  return open_->runs.emplace(dataset, std::move(runs)).first->second;
}

const File& PartedFile::part(std::size_t number) const {
  const auto found = open_->files.find(number);
  if (found != open_->files.end()) return found->second;
  if (open_->order.size() == max_open) {
    open_->files.erase(open_->order.front());
    open_->order.pop_front();
  }
  const Part& part = parts_[number];
  if (open_->verified) require_unchanged(part.path, (*open_->verified)[number]);
  const File& file = open_->files.emplace(number, File::open(part.path)).first->second;
  open_->order.push_back(number);
  if (const auto seal = read_seal(part.path); !seal || seal->text() != part.seal)
    fail(part.path, " is damaged: its seal differs from the one in ", path(), ", so it belongs to another set");
  return file;
}

void PartedFile::require_stored(const std::string& dataset) const {
  const std::lock_guard<std::mutex> lock(open_->mutex);
  if (runs_of(dataset).empty()) index_.require_stored(dataset);
}

template <class T>
void PartedFile::read(const std::string& dataset, const Slab& slab, T* data) const {
  const std::lock_guard<std::mutex> lock(open_->mutex);
  const std::vector<Run>& runs = runs_of(dataset);
  if (runs.empty()) return index_.read(dataset, slab, data);
  const Index last = slab.first_row + slab.rows;
  if (slab.first_row < 0 || slab.rows < 0 || last > runs.back().first_row + runs.back().rows)
    fail(path(), ": ", dataset, ": rows ", slab.first_row, " to ", last, " are out of range");
  const std::vector<Index> shape = index_.shape(dataset);
  Index width = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) width *= shape[i];
  if (shape.size() == 2) width = slab.columns < 0 ? shape[1] - slab.first_column : slab.columns;
  auto run = std::partition_point(runs.begin(), runs.end(),
                                  [&](const Run& r) { return r.first_row + r.rows <= slab.first_row; });
  for (; run != runs.end() && run->first_row < last; ++run) {
    const Index begin = std::max(run->first_row, slab.first_row), end = std::min(run->first_row + run->rows, last);
    part(run->part).read(dataset, {begin - run->first_row, end - begin, slab.first_column, slab.columns},
                         data + (begin - slab.first_row) * width);
  }
}

template <class T>
std::vector<T> PartedFile::read_all(const std::string& dataset) const {
  const std::vector<Index> shape = index_.shape(dataset);
  Index size = 1;
  for (const Index extent : shape) size *= extent;
  std::vector<T> values(size);
  if (size > 0) read(dataset, {0, shape.empty() ? 1 : shape[0]}, values.data());
  return values;
}

Index PartedFile::verify_parts(Index share, Index shares) const {
  std::vector<Stamp> stamps;
  for (const Part& part : parts_) stamps.push_back(stamp_of(part.path));
  open_->verified = std::make_shared<const std::vector<Stamp>>(std::move(stamps));
  Index bytes = 0;
  for (std::size_t number = share; number < parts_.size(); number += shares) {
    const Seal seal = *Seal::from_text(parts_[number].seal);
    require_sealed(parts_[number].path, seal);
    bytes += seal.bytes;
  }
  return bytes;
}

#define TESSEREC_INSTANTIATE(T)                                                 \
  template void PartedFile::read<T>(const std::string&, const Slab&, T*) const; \
  template std::vector<T> PartedFile::read_all<T>(const std::string&) const;
TESSEREC_INSTANTIATE(float)
TESSEREC_INSTANTIATE(double)
TESSEREC_INSTANTIATE(std::int32_t)
TESSEREC_INSTANTIATE(std::int64_t)
TESSEREC_INSTANTIATE(std::uint8_t)
#undef TESSEREC_INSTANTIATE

}  // namespace tesserec::store
