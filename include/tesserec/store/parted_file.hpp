// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <tesserec/store/hdf5.hpp>

namespace tesserec::store {

struct Stamp;

/// Logical HDF5 file for reading: one file, or an index (names, shapes, attributes) and its parts. Reading numbers
/// through this class detects damage that HDF5's virtual datasets pass over.
class PartedFile {
 public:
  /// Opens the file or index; parts are opened as they are read. HDF5 may crash on damage, so the index is compared
  /// with its seal before HDF5 sees it. Throws Error as File::open() does, and if the index is damaged or is itself a
  /// part.
  static PartedFile open(const std::string& path, Trust trust = Trust::none);

  const File& index() const { return index_; }
  const std::string& path() const { return index_.path(); }

  /// Reads a slab of a dataset, as File::read() does. Several threads may call it; a lock takes them in turn.
  template <class T>
  void read(const std::string& dataset, const Slab& slab, T* data) const;
  template <class T>
  std::vector<T> read_all(const std::string& dataset) const;

  /// Checks a dataset that lies in the index itself, as File::require_stored() does; a dataset in parts passes.
  void require_stored(const std::string& dataset) const;

  /// Compares every `shares`-th part, from part `share` on, with the seal that the index names. Returns the bytes read.
  /// Throws Error that names a damaged part. Call it once, before any read from a part.
  Index verify_parts(Index share = 0, Index shares = 1) const;
  /// Returns the index's "BYTES CHECKSUM", which covers the parts' seals too; empty if another program wrote the file.
  const std::string& seal() const { return seal_; }
  std::size_t parts() const { return parts_.size(); }

 private:
  struct Part {
    std::string path;
    std::string seal;
  };
  struct Run {
    std::size_t part = 0;
    Index first_row = 0, rows = 0;
  };
  explicit PartedFile(File index) : index_(std::move(index)) {}
  const std::vector<Run>& runs_of(const std::string& dataset) const;
  const File& part(std::size_t number) const;

  File index_;
  std::string seal_;
  std::vector<Part> parts_;
  struct Open {  // moves with this, a mutex would not
    std::mutex mutex;
    std::map<std::string, std::vector<Run>> runs;
    std::map<std::size_t, File> files;
    std::deque<std::size_t> order;
    std::shared_ptr<const std::vector<Stamp>> verified;  // stamps of the parts when verify_parts() began
  };
  std::unique_ptr<Open> open_ = std::make_unique<Open>();
};

}  // namespace tesserec::store
