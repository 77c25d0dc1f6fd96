// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <span>
#include <vector>

#include "part_images.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/seal.hpp>

namespace tesserec::parallel_io {
namespace {

/// Slabs that were cut at the borders of parts.
struct RowParcels {
  struct Own {
    PartRows rows;
    const std::byte* data;
    Index ld_bytes;
  };
  std::vector<Own> own;           // rows of parts that this rank writes
  std::vector<std::byte> sent;    // rows for other ranks, in rank order: PartRows, each before its numbers
  std::vector<Index> sent_bytes;  // bytes in `sent` for each rank
};

Index columns_of(const store::DatasetShape& shape, const store::Slab& slab) {
  if (shape.columns < 0) return 1;
  return slab.columns < 0 ? shape.columns - slab.first_column : slab.columns;
}

/// Copies rows, `ld_bytes` apart, to contiguous memory.
void copy_rows(const std::byte* from, Index ld_bytes, Index rows, Index row_bytes, std::byte* to) {
  for (Index row = 0; row < rows; ++row, from += ld_bytes, to += row_bytes) std::memcpy(to, from, row_bytes);
}

/// Cuts the slabs of rank `rank` of `ranks` at the borders of parts. owners[part] is the rank that writes the part.
RowParcels cut(std::span<const PartedWriter::SlabData> slabs, const store::PartsLayout& layout,
               std::span<const int> owners, int rank, int ranks) {
  RowParcels parcels;
  std::vector<std::vector<std::byte>> out(ranks);
  for (const PartedWriter::SlabData& block : slabs) {
    const store::DatasetShape& shape = layout.datasets()[block.dataset];
    const Index columns = columns_of(shape, block.slab), row_bytes = columns * store::element_bytes(shape.type);
    if (block.slab.rows * row_bytes == 0) continue;
    const Index ld_bytes = block.ld > 0 ? block.ld * store::element_bytes(shape.type) : row_bytes;
    const Index last_row = block.slab.first_row + block.slab.rows;
    const auto& runs = layout.of_dataset(block.dataset);
    auto run =
        std::partition_point(runs.begin(), runs.end(), [&](const auto& r) { return r.end() <= block.slab.first_row; });
    for (; run != runs.end() && run->first_row < last_row; ++run) {
      const Index begin = std::max(run->first_row, block.slab.first_row), end = std::min(run->end(), last_row);
      const PartRows rows{run->part,   Index(block.dataset),    begin - run->first_row,
                          end - begin, block.slab.first_column, columns};
      const auto* from = static_cast<const std::byte*>(block.data) + (begin - block.slab.first_row) * ld_bytes;
      const int to = owners[run->part];
      if (to == rank) {
        parcels.own.push_back({rows, from, ld_bytes});
        continue;
      }
      std::vector<std::byte>& buffer = out[to];
      const std::size_t at = buffer.size();
      buffer.resize(at + sizeof rows + rows.rows * row_bytes);
      std::memcpy(buffer.data() + at, &rows, sizeof rows);
      copy_rows(from, ld_bytes, rows.rows, row_bytes, buffer.data() + at + sizeof rows);
    }
  }
  for (std::vector<std::byte>& buffer : out) {
    parcels.sent_bytes.push_back(std::ssize(buffer));
    parcels.sent.insert(parcels.sent.end(), buffer.begin(), buffer.end());
    buffer = {};
  }
  return parcels;
}

/// Puts this rank's rows into its parts.
void put_own(const RowParcels& parcels, const store::PartsLayout& layout, PartImages& parts) {
  std::vector<std::byte> dense;
  for (const auto& [rows, data, ld_bytes] : parcels.own) {
    const Index row_bytes = rows.bytes(layout) / rows.rows;
    if (ld_bytes == row_bytes) {
      parts.put(rows, data);
      continue;
    }
    dense.resize(rows.bytes(layout));
    copy_rows(data, ld_bytes, rows.rows, row_bytes, dense.data());
    parts.put(rows, dense.data());
  }
}

/// Puts rows that other ranks have sent into this rank's parts.
void put_received(std::span<const std::byte> received, const store::PartsLayout& layout, PartImages& parts) {
  while (!received.empty()) {
    PartRows rows{};
    std::memcpy(&rows, received.data(), sizeof rows);
    parts.put(rows, received.data() + sizeof rows);
    received = received.subspan(sizeof rows + rows.bytes(layout));
  }
}

namespace fs = std::filesystem;

void set_attributes(store::File& file, const std::string& object, const store::Attributes& attributes) {
  for (const auto& [name, value] : attributes)
    std::visit([&, key = name](const auto& v) { file.set_attribute(object, key, v); }, value);
}

}  // namespace

PartedWriter::PartedWriter(const comm::Communicator& comm, std::string path, store::PartsLayout layout,
                           std::vector<int> owners, double lock_wait)
    : comm_(comm), path_(std::move(path)), layout_(std::move(layout)), owners_(std::move(owners)) {
  for (int part = owners_.size(); part < layout_.parts(); ++part) owners_.push_back(part % comm.size());
  if (single()) owners_.assign(1, 0);
  images_ = std::make_unique<PartImages>(layout_, path_);
  comm::agree(comm_, [&] {
    if (!first()) return;
    std::error_code error;
    const fs::path above = fs::path(path_).parent_path();
    if (!above.empty() && !fs::is_directory(above, error))
      fail(path_, ": cannot write this file: there is no folder ", above.string(), "; create it");
    if (fs::is_directory(path_, error))
      fail(path_, ": cannot write this file: a folder has its name; choose another path");
    lock_ = store::FileLock(draft_of(path_), lock_wait);
    fs::remove_all(draft_folder_of(path_));
    if (!single()) store::make_folder_durably(draft_folder_of(path_));
  });
  drafts_.emplace_back(draft_of(path_));
  drafts_.emplace_back(draft_folder_of(path_));
}

PartedWriter::~PartedWriter() {
  images_.reset();
  if (published_ || !first()) return;
  std::error_code ignored;  // The next writer removes drafts that remain.
  fs::remove_all(draft_folder_of(path_), ignored);
  fs::remove(draft_of(path_), ignored);
}

void PartedWriter::write(std::span<const SlabData> slabs) {
  RowParcels parcels;
  comm::agree(comm_, [&] { parcels = cut(slabs, layout_, owners_, comm_.rank(), comm_.size()); });

  const std::vector<Index> received_bytes = comm_.all_to_all(std::span<const Index>(parcels.sent_bytes));
  std::vector<std::byte> received;
  comm::agree(comm_,
              [&] { received.resize(std::accumulate(received_bytes.begin(), received_bytes.end(), std::size_t{0})); });
  comm_.all_to_all(parcels.sent.data(), std::span<const Index>(parcels.sent_bytes), received.data(),
                   std::span<const Index>(received_bytes));

  comm::agree(comm_, [&] {
    put_own(parcels, layout_, *images_);
    put_received(received, layout_, *images_);
  });
}

void PartedWriter::prepare(const store::Attributes& root, const std::map<std::string, store::Attributes>& of_datasets) {
  comm::agree(comm_, [&] {
    if (!single() || !first()) return images_->finish();
    store::File file = images_->take();
    set_attributes(file, "/", root);
    for (const auto& [name, attributes] : of_datasets) set_attributes(file, name, attributes);
    file.close();
  });
  if (single()) return;

  const std::vector<PartSeal> sealed = comm_.all_gather(std::span<const PartSeal>(images_->sealed()));
  comm::agree(comm_, [&] {
    seals_.assign(layout_.parts(), "");
    std::map<std::string, std::uint64_t> checksums;
    for (const auto& [part, bytes, checksum] : sealed) {
      seals_[part] = store::Seal{bytes, checksum}.text();
      checksums[store::part_name(int(part))] = checksum;
    }
    for (std::size_t part = 0; part < seals_.size(); ++part)
      if (seals_[part].empty()) fail(path_, ": no rank wrote part ", part);
    folder_ = store::stem_of(path_) + "." + store::combined_digest(checksums);
    if (!first()) return;
    // This rank must see the files that the others wrote.
    for (std::size_t part = 0; part < seals_.size(); ++part) {
      const std::string file = draft_folder_of(path_) + "/" + store::part_name(int(part));
      if (const auto seal = store::read_seal(file); !seal || seal->text() != seals_[part])
        fail(file, ": its seal differs from the one that its rank wrote; check the file system");
    }
    store::sync_path(draft_folder_of(path_));
    write_index(root, of_datasets);
  });
}

void PartedWriter::write_index(const store::Attributes& root,
                               const std::map<std::string, store::Attributes>& of_datasets) const {
  store::File file = store::File::create(draft_of(path_));
  const std::string folder = fs::path(folder_).filename().string();
  std::vector<std::string> parts;
  for (std::size_t part = 0; part < seals_.size(); ++part)
    parts.push_back(folder + "/" + store::part_name(int(part)) + " " + seals_[part]);
  for (std::size_t d = 0; d < layout_.datasets().size(); ++d) {
    const store::DatasetShape& shape = layout_.datasets()[d];
    if (layout_.of_dataset(d).empty()) {
      create_datasets(file, {shape});
      continue;
    }
    std::vector<store::File::Source> sources;
    std::vector<std::int64_t> runs;
    for (const store::PartsLayout::Run& run : layout_.of_dataset(d)) {
      sources.push_back({folder + "/" + store::part_name(run.part), run.first_row, run.rows});
      runs.insert(runs.end(), {run.part, run.first_row, run.rows});
    }
    store::with_element(shape.type, [&](auto element) {
      file.create_virtual<decltype(element)>(shape.name, shape.extents(), sources);
    });
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
    if (!single() && !has_intact_parts()) store::rename_durably(draft_folder_of(path_), folder_);
    store::rename_durably(draft_of(path_), path_);
    remove_other_sets();
  });
  published_ = true;
  drafts_.clear();
  lock_ = {};
}

/// Returns whether intact parts of the same content have the final name, perhaps as parts of the X.h5 that is being
/// replaced. Removes the new parts in this case, else a damaged folder of the final name.
bool PartedWriter::has_intact_parts() const {
  if (!fs::exists(folder_)) return false;
  try {
    for (std::size_t part = 0; part < seals_.size(); ++part)
      store::require_sealed(folder_ + "/" + store::part_name(int(part)), *store::Seal::from_text(seals_[part]));
    fs::remove_all(draft_folder_of(path_));
    return true;
  } catch (const Error&) {
    fs::remove_all(folder_);
    return false;
  }
}

void PartedWriter::remove_other_sets() const {
  const std::string head = fs::path(store::stem_of(path_)).filename().string() + ".";
  const fs::path above = fs::path(path_).parent_path();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(above.empty() ? "." : above, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_set = name.compare(0, head.size(), head) == 0 && store::checksum_of_text(name.substr(head.size()));
    if (!is_set || name == fs::path(folder_).filename().string() || !entry.is_directory(error)) continue;
    fs::remove_all(entry.path(), error);
    if (error) log_warning(entry.path().string() + ": cannot remove the parts of an older file: " + error.message());
  }
}

}  // namespace tesserec::parallel_io
