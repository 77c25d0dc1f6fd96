// SPDX-License-Identifier: Apache-2.0
/// The parts that one rank writes, from their first row to the disk.
#pragma once

#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <string>
#include <vector>

#include <tesserec/store/parts.hpp>

namespace tesserec::parallel_io {

/// Names of X.h5 and of its folder of parts until they are published.
std::string draft_of(const std::string& path);
std::string draft_folder_of(const std::string& path);

/// Creates datasets of these shapes.
void create_datasets(store::File& file, const std::vector<store::DatasetShape>& shapes);

/// Rows of a part.
struct PartRows {
  Index part, dataset, first_row, rows, first_column, columns;

  Index bytes(const store::PartsLayout& layout) const;
};

struct PartSeal {
  Index part, bytes;
  std::uint64_t checksum;
};

/// Parts in memory. Each one that is whole is sealed and written to the disk while others are filled. A layout of one
/// part makes X.h5 itself, which is not written before its owner has taken it.
class PartImages {
 public:
  /// The draft of `path` and its folder. `layout` outlives this.
  PartImages(const store::PartsLayout& layout, std::string path) : layout_(layout), path_(std::move(path)) {}

  /// Copies `data`, row-major, into the part. Error: the part has these rows already.
  void put(const PartRows& rows, const void* data);
  /// Waits until all parts are on the disk. Error: one that was begun is not whole.
  void finish();
  /// Hands over the file of a layout of one part. Error: it is not whole.
  store::File take();
  const std::vector<PartSeal>& sealed() const { return sealed_; }

 private:
  struct Image {
    store::File file;
    Index missing = 0;  // bytes that have not come yet
  };
  struct Flush {
    store::File file;
    Index bytes = 0;
    std::future<void> done;  // last: it ends before what it writes goes
  };

  bool single() const { return layout_.parts() == 1; }
  Image& image(int part);
  void flush(int part);
  void await_flush();

  const store::PartsLayout& layout_;
  std::string path_;
  std::map<int, Image> images_;   // that are not whole yet
  std::deque<Flush> flushes_;     // on their way to the disk
  std::vector<PartSeal> sealed_;  // written
};

}  // namespace tesserec::parallel_io
