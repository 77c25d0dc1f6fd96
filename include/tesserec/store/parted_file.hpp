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

/// Logical HDF5 file for reading: one file, or an index (names, shapes, attributes) and its parts. Numbers are read
/// through this, which detects damage that HDF5's virtual datasets pass over.
class PartedFile {
 public:
  /// Errors as those of File::open, and an index that is not what its seal says or makes no sense: HDF5 may crash on
  /// damage, so it is compared before HDF5 sees it. Parts are opened as they are read.
  static PartedFile open(const std::string& path, Trust trust = Trust::none);

  const File& index() const { return index_; }
  const std::string& path() const { return index_.path(); }

  /// Rows of a dataset, as File::read. Threads may read at once.
  template <class T>
  void read(const std::string& dataset, const Slab& slab, T* data) const;
  template <class T>
  std::vector<T> read_all(const std::string& dataset) const;

  /// File::require_stored of a dataset that lies in the index itself.
  void require_stored(const std::string& dataset) const;

  /// Compares every `of`-th part from part `share` on with the seal that the index names. Error that names the damaged
  /// part. Returns the bytes read. To be called once before anything is read from parts.
  Index verify_parts(Index share = 0, Index of = 1) const;
  /// The index's "BYTES CHECKSUM"; empty when another program wrote it. With parts it speaks for them too.
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
