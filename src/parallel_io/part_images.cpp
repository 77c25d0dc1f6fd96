// SPDX-License-Identifier: Apache-2.0
#include "part_images.hpp"

#include <algorithm>
#include <chrono>

#include <tesserec/core/error.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/seal.hpp>

namespace tesserec::parallel_io {

std::string draft_of(const std::string& path) { return path + ".tmp"; }
std::string draft_folder_of(const std::string& path) { return store::stem_of(path) + ".parts.tmp"; }

void create_datasets(store::File& file, const std::vector<store::DatasetShape>& shapes) {
  for (const store::DatasetShape& shape : shapes)
    store::with_element(shape.type,
                        [&](auto element) { file.create_dataset<decltype(element)>(shape.name, shape.extents()); });
}

Index PartRows::bytes(const store::PartsLayout& layout) const {
  return rows * columns * store::element_bytes(layout.datasets()[dataset].type);
}

PartImages::Image& PartImages::image(int part) {
  if (const auto found = images_.find(part); found != images_.end()) return found->second;
  // Memory of done ones goes to the new image. One stays, because without any all memory would be freed.
  while (flushes_.size() > 1 && is_done(flushes_.front())) await_flush();
  std::vector<store::DatasetShape> shapes;
  if (single())
    shapes = layout_.datasets();
  else
    for (const store::PartsLayout::Run& run : layout_.of_part(part)) {
      shapes.push_back(layout_.datasets()[run.dataset]);
      shapes.back().rows = run.rows;
    }
  const std::string path = single() ? draft_of(path_) : draft_folder_of(path_) + "/" + store::part_name(part);
  constexpr Index metadata = Index{256} << 10;  // bytes, at most as a rule
  const Index bytes = layout_.bytes_of_part(part);
  Image image{store::File::create(path, bytes + metadata), bytes};
  create_datasets(image.file, shapes);
  if (!single()) {
    image.file.set_attribute("/", "part", std::int64_t{part});  // The attribute tells a part from all of X.h5.
    for (const store::PartsLayout::Run& run : layout_.of_part(part))
      image.file.set_attribute(layout_.datasets()[run.dataset].name, "first_row", std::int64_t{run.first_row});
  }
  return images_.emplace(part, std::move(image)).first->second;
}

void PartImages::put(const PartRows& rows, const void* data) {
  const int part = rows.part;
  Image& to = image(part);
  const store::DatasetShape& shape = layout_.datasets()[rows.dataset];
  store::Slab slab{rows.first_row, rows.rows};
  if (shape.columns >= 0) {
    slab.first_column = rows.first_column;
    slab.columns = rows.columns;
  }
  store::with_element(
      shape.type, [&](auto element) { to.file.write(shape.name, slab, static_cast<const decltype(element)*>(data)); });
  to.missing -= rows.bytes(layout_);
  if (to.missing < 0) fail(path_, ": rows of ", shape.name, " were written twice");
  if (to.missing == 0 && !single()) flush(part);
}

// Writes a complete part in the background. One file is written while another is read back. Each keeps its image in
// memory, which is why their number and bytes are limited.
void PartImages::flush(int part) {
  constexpr std::size_t max_flushes = 3;
  const Index size = layout_.bytes_of_part(part);
  const auto pending_bytes = [&] {
    Index bytes = 0;
    for (const Flush& flush : flushes_) bytes += flush.bytes;
    return bytes;
  };
  while (!flushes_.empty() && (flushes_.size() == max_flushes || pending_bytes() + size > most_flushed_)) await_flush();
  Flush& flush = flushes_.emplace_back(Flush{std::move(images_.extract(part).mapped().file), size, {}});
  const std::span<std::byte> bytes = flush.file.image();
  const store::Seal seal = store::put_seal(bytes);
  sealed_.push_back({part, seal.bytes, seal.checksum});
  flush.done = std::async(std::launch::async, [bytes, path = flush.file.path()] {
    store::write_verified(path, std::span<const std::byte>(bytes));
  });
}

void PartImages::await_flush() {
  Flush flush = std::move(flushes_.front());
  flushes_.pop_front();
  flush.done.get();
}

void PartImages::require_complete() const {
  for (const auto& [part, image] : images_)
    if (image.missing != 0) fail(path_, ": no rank wrote ", image.missing, " bytes of part ", part);
}

void PartImages::flush_single(const std::function<void(store::File&)>& complete) {
  Image& whole = image(0);
  require_complete();
  complete(whole.file);
  flush(0);
}

bool PartImages::is_done(const Flush& flush) {
  return flush.done.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

bool PartImages::are_flushed() const { return std::ranges::all_of(flushes_, is_done); }

void PartImages::finish() {
  require_complete();
  while (!flushes_.empty()) await_flush();
}

}  // namespace tesserec::parallel_io
