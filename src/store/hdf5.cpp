// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <filesystem>

#include "file_impl.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::store {
namespace {

Handle access_list(const std::string& path) {
  return {check(H5Pcreate(H5P_FILE_ACCESS), path, "", "prepare access"), H5Pclose};
}

Handle transfer_list(const std::string& path, bool collective) {
  Handle list(check(H5Pcreate(H5P_DATASET_XFER), path, "", "prepare transfer"), H5Pclose);
  if (collective) check(H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE), path, "", "choose collective transfer");
  return list;
}

// No times and only the newest format: the bytes depend on the content alone.
Handle create_file(const std::string& path, const Handle& access) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    fail(path, ": cannot create the file: there is no folder ", folder.string());
  if (std::filesystem::is_directory(path, ignored)) fail(path, ": cannot create the file: this is a folder");
  const Handle creation(check(H5Pcreate(H5P_FILE_CREATE), path, "", "prepare the file"), H5Pclose);
  check(H5Pset_obj_track_times(creation, false), path, "", "turn times off");
  check(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), path, "", "choose the format");
  return {check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), path, "", "create the file"), H5Fclose};
}

}  // namespace

File::File(Impl* impl) : impl_(impl) { impl_->exceptions = std::uncaught_exceptions(); }
File::File(File&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
File& File::operator=(File&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

File File::open(const std::string& path) {
  const auto lock = hdf5_lock();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail(path, ": there is no such file");
  if (std::filesystem::is_directory(status)) fail(path, ": this is a folder, not an HDF5 file");
  if (std::filesystem::file_size(path, error) == 0) fail(path, ": the file is empty, not an HDF5 file");
  const htri_t known = H5Fis_hdf5(path.c_str());
  if (known < 0) check(known, path, "", "open the file");
  if (known == 0) fail(path, ": this is not an HDF5 file");
  const Handle access = access_list(path);
#if H5_VERSION_GE(1, 10, 7)
  // Read-only files need no lock, and some network file systems have none.
  check(H5Pset_file_locking(access, false, true), path, "", "turn locking off");
#endif
  Handle file(check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), path, "",
                    "open the file (truncated, or still being written?)"),
              H5Fclose);
  return File(new Impl{path, std::move(file), transfer_list(path, false)});
}

File File::create(const std::string& path) {
  const auto lock = hdf5_lock();
  Handle file = create_file(path, access_list(path));
  return File(new Impl{path, std::move(file), transfer_list(path, false)});
}

File File::create(const std::string& path, const comm::Communicator& comm) {
  const auto lock = hdf5_lock();
  const Handle access = access_list(path);
  check(H5Pset_fapl_mpio(access, comm.mpi(), MPI_INFO_NULL), path, "", "choose MPI-IO");
  check(H5Pset_all_coll_metadata_ops(access, true), path, "", "make metadata collective");
  check(H5Pset_coll_metadata_write(access, true), path, "", "make metadata collective");
  Handle file = create_file(path, access);
  return File(new Impl{path, std::move(file), transfer_list(path, true), &comm});
}

File::~File() {
  if (impl_ == nullptr) return;
  // Closing a shared file is collective: a rank that is failing alone must not wait for the others here.
  const bool failing_alone =
      impl_->comm != nullptr && impl_->comm->size() > 1 && std::uncaught_exceptions() > impl_->exceptions;
  if (failing_alone) return;
  try {
    close();
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

void File::close() {
  if (impl_ == nullptr) return;
  const auto lock = hdf5_lock();
  Impl* impl = std::exchange(impl_, nullptr);
  const std::string path = impl->path;
  const herr_t code = impl->file.close();
  delete impl;
  check(code, path, "", "close the file");
}

const std::string& File::path() const { return impl_->path; }

}  // namespace tesserec::store
