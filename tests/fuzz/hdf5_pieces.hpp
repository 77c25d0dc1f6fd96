// SPDX-License-Identifier: Apache-2.0
// HDF5 files written with the library alone, without the checks of src/store.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <hdf5.h>

namespace tesserec::test {

using Extents = std::vector<hsize_t>;

inline hid_t space_of(const Extents& extents) {
  return extents.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(int(extents.size()), extents.data(), nullptr);
}

inline hid_t string_type(std::size_t size = H5T_VARIABLE) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/// Replaces an attribute. `memory` is the type of `data`, and, unless `disk` is given, also of the file.
inline void attribute(hid_t file, const char* name, hid_t memory, hid_t space, const void* data, hid_t disk = -1) {
  if (H5Aexists(file, name) > 0) H5Adelete(file, name);
  const hid_t made = H5Acreate2(file, name, disk < 0 ? memory : disk, space, H5P_DEFAULT, H5P_DEFAULT);
  if (data != nullptr) H5Awrite(made, memory, data);
  H5Aclose(made);
}

inline void text_attribute(hid_t file, const char* name, const std::vector<std::string>& texts, bool one = false) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  attribute(file, name, string_type(), space_of(one ? Extents{} : Extents{texts.size()}), pointers.data());
}

inline void integer_attribute(hid_t file, const char* name, const std::vector<std::int64_t>& values, bool one = false) {
  attribute(file, name, H5T_NATIVE_INT64, space_of(one ? Extents{} : Extents{values.size()}), values.data());
}

inline void remove(hid_t file, const std::string& name) {
  if (H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0) H5Ldelete(file, name.c_str(), H5P_DEFAULT);
}

/// Replaces a dataset. If `data` is null, nothing is written.
inline void dataset(hid_t file, const std::string& name, hid_t disk, hid_t space, hid_t memory, const void* data,
                    hid_t creation = H5P_DEFAULT) {
  remove(file, name);
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t made = H5Dcreate2(file, name.c_str(), disk, space, links, creation, H5P_DEFAULT);
  if (data != nullptr) H5Dwrite(made, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(made);
  H5Pclose(links);
}

/// Writes a valid dataset of 8 samples as h5py would: features user and item, one dense feature, weights.
inline void write_foreign(const std::string& path, bool packed, const std::function<void(hid_t)>& change = {}) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);  // some objects are left open
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  text_attribute(file, "format", {"tesserec-dataset"}, true);
  integer_attribute(file, "version", {1}, true);
  integer_attribute(file, "samples", {8}, true);
  text_attribute(file, "features", {"user", "item"});
  integer_attribute(file, "rows", {100, 5000});
  text_attribute(file, "dense_features", {"age"});
  const std::vector<std::uint8_t> labels = {1, 0, 0, 1, 1, 0, 1, 0};
  const std::vector<float> floats(16, 0.5f);
  const std::vector<std::int32_t> ids = {7, 4999, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const std::vector<std::int64_t> offsets = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  dataset(file, "/labels", H5T_STD_U8LE, space_of({8}), H5T_NATIVE_UINT8, labels.data());
  dataset(file, "/weights", H5T_IEEE_F32LE, space_of({8}), H5T_NATIVE_FLOAT, floats.data());
  dataset(file, "/dense", H5T_IEEE_F32LE, space_of({8, 1}), H5T_NATIVE_FLOAT, floats.data());
  if (packed) dataset(file, "/sparse/ids", H5T_STD_I32LE, space_of({8, 2}), H5T_NATIVE_INT32, ids.data());
  for (const char* feature : {"user", "item"}) {
    if (packed) break;
    const std::string group = std::string("/sparse/") + feature;
    dataset(file, group + "/offsets", H5T_STD_I64LE, space_of({9}), H5T_NATIVE_INT64, offsets.data());
    dataset(file, group + "/values", H5T_STD_I32LE, space_of({8}), H5T_NATIVE_INT32, ids.data() + 2);
    dataset(file, group + "/weights", H5T_IEEE_F32LE, space_of({8}), H5T_NATIVE_FLOAT, floats.data());
  }
  if (change) change(file);
  H5Fclose(file);
  H5Pclose(access);
}

/// A dataset of the file that tests break, one at a time.
struct Place {
  const char* name;
  bool packed;
  Extents shape;
  std::vector<const char*> types;  // allowed by the format
};
inline const std::vector<Place>& places() {
  const std::vector<const char*> numbers = {"f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "enum", "f32"};
  const std::vector<const char*> ids = {"i32", "i64", "u8"};
  static const std::vector<Place> all = {{"/labels", true, {8}, numbers},
                                         {"/weights", true, {8}, numbers},
                                         {"/dense", true, {8, 1}, numbers},
                                         {"/sparse/ids", true, {8, 2}, ids},
                                         {"/sparse/user/offsets", false, {9}, {"i64"}},
                                         {"/sparse/user/values", false, {8}, ids},
                                         {"/sparse/user/weights", false, {8}, numbers}};
  return all;
}

}  // namespace tesserec::test
