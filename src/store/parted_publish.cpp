// SPDX-License-Identifier: Apache-2.0
// Parts in memory, on their way to the disk, and under their names.
#include <filesystem>
#include <optional>

#include "seal.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/parted_writer.hpp>

namespace tesserec::store {
namespace {

namespace fs = std::filesystem;

void set_attributes(File& file, const std::string& object, const Attributes& attributes) {
  for (const auto& [name, value] : attributes)
    std::visit([&, key = name](const auto& v) { file.set_attribute(object, key, v); }, value);
}

void create_datasets(File& file, const std::vector<DatasetShape>& shapes) {
  for (const DatasetShape& shape : shapes)
    with_element(shape.type,
                 [&](auto element) { file.create_dataset<decltype(element)>(shape.name, shape.extents()); });
}

}  // namespace

PartedWriter::Image& PartedWriter::image(int part) {
  if (const auto found = images_.find(part); found != images_.end()) return found->second;
  std::vector<DatasetShape> shapes;
  if (single())
    shapes = layout_.datasets();
  else
    for (const PartsLayout::Run& run : layout_.of_part(part)) {
      shapes.push_back(layout_.datasets()[run.dataset]);
      shapes.back().rows = run.rows;
    }
  Image image{File::create(single() ? draft() : draft_folder() + "/" + part_name(part)), layout_.bytes_of_part(part)};
  create_datasets(image.file, shapes);
  if (!single()) {
    image.file.set_attribute("/", "part", std::int64_t{part});  // it shall not pass for all of X.h5
    for (const PartsLayout::Run& run : layout_.of_part(part))
      image.file.set_attribute(layout_.datasets()[run.dataset].name, "first_row", std::int64_t{run.first_row});
  }
  return images_.emplace(part, std::move(image)).first->second;
}

void PartedWriter::put(const Header& header, const void* data) {
  const int part = header.part;
  Image& to = image(part);
  const DatasetShape& shape = layout_.datasets()[header.dataset];
  Slab slab{header.first_row, header.rows};
  if (shape.columns >= 0) {
    slab.first_column = header.first_column;
    slab.columns = header.columns;
  }
  with_element(shape.type,
               [&](auto element) { to.file.write(shape.name, slab, static_cast<const decltype(element)*>(data)); });
  to.missing -= bytes_of(header);
  if (to.missing < 0) fail(path_, ": rows of ", shape.name, " were given twice");
  if (to.missing == 0 && !single()) flush(part);
}

// One file is written while another is read back; each keeps its image, so they are few.
void PartedWriter::flush(int part) {
  constexpr std::size_t most = 3;
  constexpr Index most_bytes = Index{256} << 20;
  const Index size = layout_.bytes_of_part(part);
  const auto under_way = [&] {
    Index bytes = 0;
    for (const Flush& flush : flushes_) bytes += flush.bytes;
    return bytes;
  };
  while (!flushes_.empty() && (flushes_.size() == most || under_way() + size > most_bytes)) await_flush();
  Flush& flush = flushes_.emplace_back(Flush{std::move(images_.extract(part).mapped().file), size, {}});
  const std::span<std::byte> bytes = flush.file.image();
  const Seal seal = put_seal(bytes);
  sealed_.push_back({part, seal.bytes, seal.checksum});
  flush.done = std::async(std::launch::async,
                          [bytes, path = flush.file.path()] { write_proven(path, std::span<const std::byte>(bytes)); });
}

void PartedWriter::await_flush() {
  Flush flush = std::move(flushes_.front());
  flushes_.pop_front();
  flush.done.get();
}

void PartedWriter::await_all() {
  while (!flushes_.empty()) await_flush();
}

void PartedWriter::require_complete() const {
  for (const auto& [part, image] : images_)
    if (image.missing != 0) fail(path_, ": ", image.missing, " bytes of part ", part, " were given by no rank");
}

void PartedWriter::prepare(const Attributes& root, const std::map<std::string, Attributes>& of_datasets) {
  comm::agree(comm_, [&] {
    if (single() && first()) image(0);  // perhaps nothing was to be written
    require_complete();
    await_all();
    if (!single() || !first()) return;
    File& file = images_.at(0).file;
    set_attributes(file, "/", root);
    for (const auto& [name, attributes] : of_datasets) set_attributes(file, name, attributes);
    file.close();
    images_.clear();
  });
  if (single()) return;

  const std::vector<PartSeal> sealed = comm_.all_gather(std::span<const PartSeal>(sealed_));
  comm::agree(comm_, [&] {
    seals_.assign(layout_.parts(), "");
    std::map<std::string, std::uint64_t> checksums;
    for (const auto& [part, bytes, checksum] : sealed) {
      seals_[part] = Seal{bytes, checksum}.text();
      checksums[part_name(int(part))] = checksum;
    }
    for (std::size_t part = 0; part < seals_.size(); ++part)
      if (seals_[part].empty()) fail(path_, ": part ", part, " was given by no rank");
    folder_ = stem_of(path_) + "." + combined_digest(checksums);
    if (!first()) return;
    // This rank must see what the others wrote.
    for (std::size_t part = 0; part < seals_.size(); ++part) {
      const std::string file = draft_folder() + "/" + part_name(int(part));
      if (const auto seal = read_seal(file); !seal || seal->text() != seals_[part])
        fail(file, ": this is not what its writer wrote");
    }
    sync_path(draft_folder());
    write_index(root, of_datasets);
  });
}

void PartedWriter::write_index(const Attributes& root, const std::map<std::string, Attributes>& of_datasets) const {
  File file = File::create(draft());
  const std::string folder = fs::path(folder_).filename().string();
  std::vector<std::string> parts;
  for (std::size_t part = 0; part < seals_.size(); ++part)
    parts.push_back(folder + "/" + part_name(int(part)) + " " + seals_[part]);
  for (std::size_t d = 0; d < layout_.datasets().size(); ++d) {
    const DatasetShape& shape = layout_.datasets()[d];
    if (layout_.of_dataset(d).empty()) {
      create_datasets(file, {shape});
      continue;
    }
    std::vector<File::Source> sources;
    std::vector<std::int64_t> runs;
    for (const PartsLayout::Run& run : layout_.of_dataset(d)) {
      sources.push_back({folder + "/" + part_name(run.part), run.first_row, run.rows});
      runs.insert(runs.end(), {run.part, run.first_row, run.rows});
    }
    with_element(shape.type,
                 [&](auto element) { file.create_virtual<decltype(element)>(shape.name, shape.extents(), sources); });
    file.set_attribute(shape.name, "parts", runs);
  }
  for (const auto& [name, attributes] : of_datasets) set_attributes(file, name, attributes);
  set_attributes(file, "/", root);
  file.set_attribute("/", "parts", parts);
  file.close();
}

void PartedWriter::publish() {
  comm::agree(comm_, [&] {
    if (!first()) return;
    if (!single() && !is_there_already()) rename_durably(draft_folder(), folder_);
    rename_durably(draft(), path_);
    remove_other_sets();
  });
  published_ = true;
  drafts_.clear();
  lock_ = {};
}

/// Whether parts of the same content stand under the final name, perhaps as those of the X.h5 that is being replaced:
/// then they stay, and the new ones go. Damaged ones make room.
bool PartedWriter::is_there_already() const {
  if (!fs::exists(folder_)) return false;
  try {
    for (std::size_t part = 0; part < seals_.size(); ++part)
      require_sealed(folder_ + "/" + part_name(int(part)), *Seal::from_text(seals_[part]));
    fs::remove_all(draft_folder());
    return true;
  } catch (const Error&) {
    fs::remove_all(folder_);
    return false;
  }
}

void PartedWriter::remove_other_sets() const {
  const std::string head = fs::path(stem_of(path_)).filename().string() + ".";
  const fs::path above = fs::path(path_).parent_path();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(above.empty() ? "." : above, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_set = name.compare(0, head.size(), head) == 0 && checksum_of_text(name.substr(head.size()));
    if (!is_set || name == fs::path(folder_).filename().string() || !entry.is_directory(error)) continue;
    fs::remove_all(entry.path(), error);
    if (error) log_warning(entry.path().string() + ": cannot remove the parts of an older file: " + error.message());
  }
}

}  // namespace tesserec::store
