// SPDX-License-Identifier: Apache-2.0
// Groups and datasets by name.
#include "file_impl.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::store {
namespace {

herr_t collect(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

struct ExternalLink {
  std::string target;
};

herr_t refuse(const char*, const char*, const char* file, const char* object, unsigned*, hid_t, void* external) {
  static_cast<ExternalLink*>(external)->target = concat("\"", object, "\" of \"", file, '"');
  return -1;
}

/// Returns an access list that follows all links, or, with `external`, records and refuses links into other files.
Handle link_access(const std::string& path, ExternalLink* external) {
  Handle list(check(H5Pcreate(H5P_LINK_ACCESS), path, "", "prepare links"), H5Pclose);
  if (external != nullptr) check(H5Pset_elink_cb(list, refuse, external), path, "", "prepare links");
  return list;
}

}  // namespace

std::string File::Impl::plain(const std::string& name) {
  const std::size_t first = name.find_first_not_of('/');
  if (first == std::string::npos) return "";
  return name.substr(first, name.find_last_not_of('/') - first + 1);
}

// Follows links to other files only with trust, since the file's writer chose their targets.
bool File::Impl::exists(const std::string& name) const {
  const std::string whole = plain(name);
  ExternalLink external;
  const Handle access = link_access(path, trust == Trust::none ? &external : nullptr);
  const auto refuse_external = [&](const std::string& prefix) {
    if (!external.target.empty())
      fail(path, ": ", prefix, " is an external link to ", external.target,
           "; set data.trust = true to read numbers from other files");
  };
  for (std::size_t at = 0; at != std::string::npos && !whole.empty();) {
    at = whole.find('/', at + 1);
    const std::string prefix = whole.substr(0, at);
    const htri_t link = H5Lexists(file, prefix.c_str(), access);
    refuse_external(prefix);
    if (check(link, path, prefix, "look it up") == 0) return false;
    const htri_t found = H5Oexists_by_name(file, prefix.c_str(), access);
    refuse_external(prefix);
    if (check(found, path, prefix, "look it up") == 0) return false;
    if (at == std::string::npos) break;
    const Handle object(check(H5Oopen(file, prefix.c_str(), H5P_DEFAULT), path, prefix, "open it"), H5Oclose);
    if (H5Iget_type(object) != H5I_GROUP) return false;
  }
  return true;
}

Handle File::Impl::open_object(const std::string& name) const {
  if (!exists(name)) fail(path, ": there is no ", name, " in this file");
  const std::string whole = plain(name).empty() ? "/" : plain(name);
  return {check(H5Oopen(file, whole.c_str(), H5P_DEFAULT), path, name, "open it"), H5Oclose};
}

Handle File::Impl::open_dataset(const std::string& name) const {
  if (!exists(name)) fail(path, ": there is no dataset ", name, " in this file");
  Handle object = open_object(name);
  if (H5Iget_type(object) != H5I_DATASET) fail(path, ": ", name, " is a group, not a dataset");
  return object;
}

void File::Impl::make_groups(const std::string& name) const {
  const std::string whole = plain(name);
  // Intermediate groups that HDF5 makes itself would carry the time of day.
  for (std::size_t at = whole.find('/'); at != std::string::npos; at = whole.find('/', at + 1)) {
    const std::string group = whole.substr(0, at);
    if (exists(group)) continue;
    const Handle creation(check(H5Pcreate(H5P_GROUP_CREATE), path, group, "prepare it"), H5Pclose);
    check(H5Pset_obj_track_times(creation, false), path, group, "turn times off");
    const Handle made(
        check(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), path, group, "create the group"),
        H5Gclose);
  }
}

bool File::exists(const std::string& name) const {
  if (impl_->foreign) return impl_->foreign->call<&File::exists>(name);
  const auto lock = hdf5_lock();
  return impl_->exists(name);
}

bool File::is_dataset(const std::string& name) const {
  if (impl_->foreign) return impl_->foreign->call<&File::is_dataset>(name);
  const auto lock = hdf5_lock();
  return H5Iget_type(impl_->open_object(name)) == H5I_DATASET;
}

std::vector<std::string> File::names(const std::string& group) const {
  if (impl_->foreign) return impl_->foreign->call<&File::names>(group);
  const auto lock = hdf5_lock();
  const Handle object = impl_->open_object(group);
  if (H5Iget_type(object) != H5I_GROUP) fail(impl_->path, ": ", group, " is not a group");
  std::vector<std::string> names;
  check(H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names), impl_->path, group, "list it");
  return names;
}

std::vector<Index> File::shape(const std::string& dataset) const {
  if (impl_->foreign) return impl_->foreign->call<&File::shape>(dataset);
  const auto lock = hdf5_lock();
  const Handle object = impl_->open_dataset(dataset);
  const Handle space(check(H5Dget_space(object), impl_->path, dataset, "get its shape"), H5Sclose);
  hsize_t extents[H5S_MAX_RANK];
  const int rank = check(H5Sget_simple_extent_dims(space, extents, nullptr), impl_->path, dataset, "get its shape");
  return {extents, extents + rank};
}

Index File::offset(const std::string& dataset) const {
  if (impl_->foreign) return impl_->foreign->call<&File::offset>(dataset);
  const auto lock = hdf5_lock();
  const haddr_t at = H5Dget_offset(impl_->open_dataset(dataset));
  return at == HADDR_UNDEF ? 0 : Index(at);
}

ElementType File::type(const std::string& dataset) const {
  if (impl_->foreign) return impl_->foreign->call<&File::type>(dataset);
  const auto lock = hdf5_lock();
  const Handle object = impl_->open_dataset(dataset);
  const Handle type(check(H5Dget_type(object), impl_->path, dataset, "get its type"), H5Tclose);
  const std::size_t bytes = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_FLOAT && bytes == 4) return ElementType::f32;
  if (kind == H5T_FLOAT && bytes == 8) return ElementType::f64;
  if (kind != H5T_INTEGER) return ElementType::other;
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  if (is_signed && bytes == 4) return ElementType::i32;
  if (is_signed && bytes == 8) return ElementType::i64;
  if (!is_signed && bytes == 1) return ElementType::u8;
  return ElementType::other;
}

}  // namespace tesserec::store
