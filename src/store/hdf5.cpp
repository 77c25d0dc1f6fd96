// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <memory>

#include "file_impl.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/hdf5.hpp>
#include <tesserec/store/seal.hpp>

namespace tesserec::store {
namespace {

Handle access_list(const std::string& path) {
  return {check(H5Pcreate(H5P_FILE_ACCESS), path, "", "prepare access"), H5Pclose};
}

/// Keeps all metadata in HDF5's cache until it is flushed. By default HDF5 writes some of it after many calls, and then
/// places what comes later elsewhere, so that the bytes depend on the number of writes.
void keep_metadata(const Handle& access, const std::string& path) {
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check(H5Pget_mdc_config(access, &cache), path, "", "get the rules for metadata");
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  cache.evictions_enabled = false;
  check(H5Pset_mdc_config(access, &cache), path, "", "keep metadata in memory");
}

}  // namespace

std::string hdf5_version() {
  const auto lock = hdf5_lock();
  unsigned major = 0, minor = 0, release = 0;
  check(H5get_libversion(&major, &minor, &release), "HDF5", "", "get its version");
  return concat(major, ".", minor, ".", release);
}

File::File(Impl* impl) : impl_(impl) {}
File::File(File&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
File& File::operator=(File&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

File File::open(const std::string& path, Trust trust) {
  require_file(path);
  const Stamp stamp = stamp_of(path);
  File file(nullptr);
  if (read_seal(path)) {
    file = open_in_process(path, trust);
  } else {
    auto impl = std::make_unique<Impl>(Impl{.path = path});
    impl->foreign = std::make_unique<ForeignFile>(path, trust);
    file = File(impl.release());
  }
  file.impl_->stamp = stamp;
  return file;
}

File File::open_in_process(const std::string& path, Trust trust) {
  const auto lock = hdf5_lock();
  const Handle access = access_list(path);
#if H5_VERSION_GE(1, 10, 7)
  // Read-only files need no lock, and some network file systems have none.
  check(H5Pset_file_locking(access, false, true), path, "", "turn locking off");
#endif
  Handle file(check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), path, "",
                    "open the file (not HDF5, truncated, or still being written?)"),
              H5Fclose);
  return File(new Impl{.path = path, .file = std::move(file), .trust = trust});
}

File File::create(const std::string& path, Index bytes) {
  const auto lock = hdf5_lock();
  const Handle access = access_list(path);
  constexpr std::size_t growth = std::size_t{64} << 10;  // bytes
  auto memory = std::make_unique<ImageMemory>(bytes);
  memory->give_to(access, path);
  check(H5Pset_fapl_core(access, growth, false), path, "", "make the file in memory");
  // This format has checksums in its metadata, and no flag that stays set until HDF5 closes the file.
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST), path, "", "choose the format");
  keep_metadata(access, path);
  const Handle creation(check(H5Pcreate(H5P_FILE_CREATE), path, "", "prepare the file"), H5Pclose);
  check(H5Pset_userblock(creation, seal_bytes), path, "", "reserve space for the seal");
  // Without times, the bytes depend on the content alone.
  check(H5Pset_obj_track_times(creation, false), path, "", "turn times off");
  // HDF5 looks for a file of this name, so the name must be unused.
  const std::string name = path + " in memory";
  Handle file(check(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation, access), path, "", "create the file"), H5Fclose);
  return File(new Impl{.path = path, .memory = std::move(memory), .file = std::move(file), .created = true});
}

File::~File() {
  const auto lock = hdf5_lock();
  delete impl_;
}

std::span<std::byte> File::image() {
  assert(impl_->created);
  const auto lock = hdf5_lock();
  const std::string& path = impl_->path;
  check(H5Fflush(impl_->file, H5F_SCOPE_GLOBAL), path, "", "flush the file");
  const ssize_t size = check(H5Fget_file_image(impl_->file, nullptr, 0), path, "", "get its size");
  void* place = nullptr;  // address of the pointer to the file's memory
  check(H5Fget_vfd_handle(impl_->file, H5P_DEFAULT, &place), path, "", "get its bytes");
  return std::span(*static_cast<std::byte**>(place), seal_bytes + size);
}

void File::close() {
  if (impl_ == nullptr) return;
  if (impl_->created) {
    const std::span<std::byte> bytes = image();
    put_seal(bytes);
    write_verified(impl_->path, bytes);
  }
  const auto lock = hdf5_lock();
  const std::unique_ptr<Impl> impl(std::exchange(impl_, nullptr));
  check(impl->file.close(), impl->path, "", "close the file");
}

void File::Impl::require_unchanged() const {
  if (stamp) store::require_unchanged(path, *stamp);
}

const std::string& File::path() const { return impl_->path; }

}  // namespace tesserec::store
