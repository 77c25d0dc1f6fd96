// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <span>
#include <vector>

#include "part_images.hpp"
#include "row_parcels.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/seal.hpp>

namespace tesserec::parallel_io {
namespace {

namespace fs = std::filesystem;

constexpr const char* key_file = "/resume_key";  // in the folder of the parts, until they are all there

void set_attributes(store::File& file, const std::string& object, const store::Attributes& attributes) {
  for (const auto& [name, value] : attributes)
    std::visit([&, key = name](const auto& v) { file.set_attribute(object, key, v); }, value);
}

}  // namespace

PartedWriter::PartedWriter(const comm::Communicator& comm, std::string path, store::PartsLayout layout,
                           std::vector<int> owners, double lock_wait, std::string resume_key, Index memory)
    : comm_(comm),
      path_(std::move(path)),
      layout_(std::move(layout)),
      owners_(std::move(owners)),
      resume_key_(std::move(resume_key)),
      found_(layout_.parts(), 0) {
  for (int part = owners_.size(); part < layout_.parts(); ++part) owners_.push_back(part % comm.size());
  if (single()) owners_.assign(1, 0);
  images_ = std::make_unique<PartImages>(
      layout_, path_, memory > 0 ? std::min(memory, PartImages::max_flush_bytes) : PartImages::max_flush_bytes);
  comm::agree(comm_, [&] {
    if (!first()) return;
    std::error_code error;
    const fs::path above = fs::path(path_).parent_path();
    if (!above.empty() && !fs::is_directory(above, error))
      fail(path_, ": cannot write this file: there is no folder ", above.string(), "; create it");
    if (fs::is_directory(path_, error))
      fail(path_, ": cannot write this file: a folder has its name; choose another path");
    lock_ = store::FileLock(draft_of(path_), lock_wait);
    open_folder();
  });
  drafts_.emplace_back(draft_of(path_));
  if (resume_key_.empty()) drafts_.emplace_back(draft_folder_of(path_));
  if (!resume_key_.empty() && !single()) find_parts();
}

/// Makes the folder of the parts; empties it unless an earlier writer with the same key left it.
void PartedWriter::open_folder() const {
  const std::string folder = draft_folder_of(path_), key = folder + key_file;
  if (!resume_key_.empty() && fs::exists(key) && read_file(key) == resume_key_) return;
  fs::remove_all(folder);
  if (single()) return;
  store::make_folder_durably(folder);
  if (!resume_key_.empty()) store::write_verified(key, resume_key_);
}

/// Finds the whole parts of an earlier writer; each rank reads a share of them. Collective.
void PartedWriter::find_parts() {
  std::vector<PartSeal> own;
  comm::agree(comm_, [&] {
    for (int part = comm_.rank(); part < layout_.parts(); part += comm_.size()) {
      const std::string file = draft_folder_of(path_) + "/" + store::part_name(part);
      if (!fs::exists(file)) continue;
      try {
        const std::optional<store::Seal> seal = store::read_seal(file);
        if (!seal) continue;
        store::require_sealed(file, *seal);
        own.push_back({part, seal->bytes, seal->checksum});
      } catch (const Error&) {
        continue;  // The part was not whole yet; it is written again.
      }
    }
  });
  found_seals_ = comm_.all_gather(std::span<const PartSeal>(own));
  for (const PartSeal& seal : found_seals_) found_[seal.part] = 1;
}

void PartedWriter::remove_drafts(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(draft_folder_of(path), ignored);
}

PartedWriter::~PartedWriter() {
  images_.reset();
  if (published_ || !first()) return;
  std::error_code ignored;  // The next writer removes drafts that remain.
  if (resume_key_.empty()) remove_drafts(path_);
  fs::remove(draft_of(path_), ignored);
}

void PartedWriter::write(std::span<const SlabData> slabs) {
  RowParcels parcels;
  comm::agree(comm_, [&] { parcels = cut_slabs(slabs, layout_, owners_, found_, comm_.rank(), comm_.size()); });

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

void PartedWriter::end(const store::Attributes& root, const std::map<std::string, store::Attributes>& of_datasets) {
  attributes_.root = root;
  attributes_.of_datasets = of_datasets;
  comm::agree(comm_, [&] {
    if (!single() || !first()) return;
    images_->flush_single([&](store::File& file) {
      set_attributes(file, "/", attributes_.root);
      for (const auto& [name, attributes] : attributes_.of_datasets) set_attributes(file, name, attributes);
    });
  });
}

bool PartedWriter::on_disk() const { return images_->are_flushed(); }

void PartedWriter::prepare() {
  comm::agree(comm_, [&] { images_->finish(); });
  if (single()) return;

  std::vector<PartSeal> sealed = comm_.all_gather(std::span<const PartSeal>(images_->sealed()));
  sealed.insert(sealed.end(), found_seals_.begin(), found_seals_.end());
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
    write_index();
  });
}

void PartedWriter::write_index() const {
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
  for (const auto& [name, attributes] : attributes_.of_datasets) set_attributes(file, name, attributes);
  set_attributes(file, "/", attributes_.root);
  file.set_attribute("/", "parts", parts);
  file.close();
}

void PartedWriter::publish() {
  comm::agree(comm_, [&] {
    if (!first()) return;
    fs::remove(draft_folder_of(path_) + key_file);
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
