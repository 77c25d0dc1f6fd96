// SPDX-License-Identifier: Apache-2.0
#include "handle.hpp"

#include <cstdint>
#include <new>

#include <tesserec/core/error.hpp>

namespace tesserec::store {
namespace {

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

herr_t innermost(unsigned depth, const H5E_error2_t* error, void* text) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

void renew_hdf5_lock() { new (&hdf5_mutex()) std::recursive_mutex; }

std::unique_lock<std::recursive_mutex> hdf5_lock() {
  std::unique_lock<std::recursive_mutex> lock(hdf5_mutex());
  // HDF5 must not close the files of a failing run at exit. A library that started HDF5 first decides this itself.
  static const herr_t started = (H5dont_atexit(), H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr));
  if (started < 0) fail("HDF5 cannot be initialized");
  return lock;
}

void fail_hdf5(const std::string& path, const std::string& object, const char* action) {
  std::string reason = "no reason given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &reason);
  H5Eclear2(H5E_DEFAULT);
  fail(path, object.empty() ? "" : ": ", object, ": cannot ", action, ": HDF5 says: ", reason);
}

NumberTypes types_of(float) { return {H5T_NATIVE_FLOAT, H5T_IEEE_F32LE}; }
NumberTypes types_of(double) { return {H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE}; }
NumberTypes types_of(std::int32_t) { return {H5T_NATIVE_INT32, H5T_STD_I32LE}; }
NumberTypes types_of(std::int64_t) { return {H5T_NATIVE_INT64, H5T_STD_I64LE}; }
NumberTypes types_of(std::uint8_t) { return {H5T_NATIVE_UINT8, H5T_STD_U8LE}; }

}  // namespace tesserec::store
