// SPDX-License-Identifier: Apache-2.0
/// Images in memory of the parts that one rank writes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <vector>

#include <tesserec/store/parts.hpp>

namespace tesserec::parallel_io {

/// Returns the name of X.h5, or of its folder of parts, before it is published.
std::string draft_of(const std::string& path);
std::string draft_folder_of(const std::string& path);

/// Creates a dataset for each of the shapes.
void create_datasets(store::File& file, const std::vector<store::DatasetShape>& shapes);

/// A block of a dataset in one part. `first_row` counts from the first row that the part has.
struct PartRows {
  Index part, dataset, first_row, rows, first_column, columns;

  Index bytes(const store::PartsLayout& layout) const;
};

struct PartSeal {
  Index part, bytes;
  std::uint64_t checksum;
};

/// Parts in memory. A complete part is sealed and written to the disk while others are filled. If the layout has
/// one part, it is X.h5 itself, which flush_single() writes.
class PartImages {
 public:
  /// Most bytes of parts that are being written at once, unless a writer says less.
  static constexpr Index max_flush_bytes = Index{256} << 20;

  /// Takes the path of X.h5, next to which the drafts are written, and the most bytes of parts, if more than one, that
  /// are being written at once. `layout` must outlive this object.
  PartImages(const store::PartsLayout& layout, std::string path, Index most_flushed)
      : layout_(layout), path_(std::move(path)), most_flushed_(most_flushed) {}

  /// Copies `data`, row-major, into the part. Throws Error if the part is given more bytes than it has,
  /// because rows were given twice.
  void put(const PartRows& rows, const void* data);
  /// Begins to write the file of a layout of one part, to which `complete` adds what is not in parts. Throws Error if
  /// the file is incomplete.
  void flush_single(const std::function<void(store::File&)>& complete);
  /// Returns whether all files whose write has begun are on the disk. Does not block.
  bool are_flushed() const;
  /// Waits until all parts are on the disk. Throws Error if a part that was begun is incomplete.
  void finish();
  const std::vector<PartSeal>& sealed() const { return sealed_; }

 private:
  struct Image {
    store::File file;
    Index missing = 0;  // bytes that were not given yet
  };
  struct Flush {
    store::File file;
    Index bytes = 0;
    std::future<void> done;  // last member, so that the write ends before `file` is destroyed
  };

  bool single() const { return layout_.parts() == 1; }
  static bool is_done(const Flush& flush);
  Image& image(int part);
  void require_complete() const;
  void flush(int part);
  void await_flush();

  const store::PartsLayout& layout_;
  std::string path_;
  Index most_flushed_;
  std::map<int, Image> images_;   // incomplete parts
  std::deque<Flush> flushes_;     // parts that are being written, oldest first
  std::vector<PartSeal> sealed_;  // seals of all parts whose write has begun
};

}  // namespace tesserec::parallel_io
