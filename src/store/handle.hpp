// SPDX-License-Identifier: Apache-2.0
// Helpers for every use of HDF5: one lock, one check of return codes, and handles that close themselves.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

namespace tesserec::store {

/// Locks the process's one mutex for HDF5, which is recursive. The first call turns off HDF5's own printing of errors.
std::unique_lock<std::recursive_mutex> hdf5_lock();
/// Renews the mutex in a process that was forked by the thread that holds it.
void renew_hdf5_lock();

/// Throws Error "PATH: OBJECT: cannot ACTION: HDF5 says: REASON", with HDF5's innermost reason.
[[noreturn]] void fail_hdf5(const std::string& path, const std::string& object, const char* action);

/// Returns `code`, or throws Error if it is negative. It checks every return code of HDF5 (herr_t, htri_t, hid_t,
/// hssize_t).
template <class Code>
Code check(Code code, const std::string& path, const std::string& object, const char* action) {
  if (code < 0) fail_hdf5(path, object, action);
  return code;
}

/// Owner of an hid_t. The destructor ignores the code of closing, since closing a handle for reading loses no data.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  /// Closes the handle now and returns HDF5's code, which the caller must check.
  herr_t close() { return id_ >= 0 ? close_(std::exchange(id_, H5I_INVALID_HID)) : 0; }

 private:
  hid_t id_;
  Close close_;
};

/// Types of a number in memory and, little-endian, on disk.
struct NumberTypes {
  hid_t memory, disk;
};
NumberTypes types_of(float);
NumberTypes types_of(double);
NumberTypes types_of(std::int32_t);
NumberTypes types_of(std::int64_t);
NumberTypes types_of(std::uint8_t);

}  // namespace tesserec::store
