// SPDX-License-Identifier: Apache-2.0
// Attributes: numbers and UTF-8 strings, single or in vectors, as h5py writes and reads them.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "file_impl.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::store {
namespace {

template <class T>
struct Element {
  using Type = T;
  static constexpr bool many = false;
};
template <class T>
struct Element<std::vector<T>> {
  using Type = T;
  static constexpr bool many = true;
};

struct AttributeLabel {
  std::string path, label;  // `label` is "OBJECT, attribute NAME"
};

Handle string_type(const AttributeLabel& at, H5T_cset_t letters) {
  Handle type(check(H5Tcopy(H5T_C_S1), at.path, at.label, "describe a string"), H5Tclose);
  check(H5Tset_size(type, H5T_VARIABLE), at.path, at.label, "describe a string");
  check(H5Tset_cset(type, letters), at.path, at.label, "describe a string");
  return type;
}

template <class Item>
Handle type_on_disk(const AttributeLabel& at) {
  if constexpr (std::is_same_v<Item, std::string>)
    return string_type(at, H5T_CSET_UTF8);
  else
    return {check(H5Tcopy(types_of(Item{}).disk), at.path, at.label, "describe its type"), H5Tclose};
}

std::vector<std::string> read_strings(const AttributeLabel& at, hid_t attribute, hid_t type, hid_t space,
                                      std::size_t size) {
  std::vector<std::string> texts;
  if (check(H5Tis_variable_str(type), at.path, at.label, "get its type") > 0) {
    const Handle memory = string_type(at, H5Tget_cset(type));
    std::vector<char*> pointers(size, nullptr);
    check(H5Aread(attribute, memory, pointers.data()), at.path, at.label, "read it");
    for (const char* text : pointers) texts.emplace_back(text == nullptr ? "" : text);
    check(H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data()), at.path, at.label, "free it");
    return texts;
  }
  const std::size_t width = H5Tget_size(type);
  const bool spaces = H5Tget_strpad(type) == H5T_STR_SPACEPAD;
  std::vector<char> bytes(size * width);
  check(H5Aread(attribute, type, bytes.data()), at.path, at.label, "read it");
  for (std::size_t i = 0; i < size; ++i) {
    std::string text(bytes.data() + i * width, width);
    text.resize(std::min(text.find('\0'), text.size()));
    while (spaces && !text.empty() && text.back() == ' ') text.pop_back();
    texts.push_back(std::move(text));
  }
  return texts;
}

template <class T>
std::vector<T> read_elements(const AttributeLabel& at, hid_t attribute) {
  const Handle type(check(H5Aget_type(attribute), at.path, at.label, "get its type"), H5Tclose);
  const Handle space(check(H5Aget_space(attribute), at.path, at.label, "get its shape"), H5Sclose);
  if (H5Sget_simple_extent_ndims(space) > 1) fail(at.path, ": ", at.label, " is neither one value nor a list");
  const hssize_t count = check(H5Sget_simple_extent_npoints(space), at.path, at.label, "get its shape");
  const std::size_t size = count;
  const H5T_class_t kind = H5Tget_class(type);
  if constexpr (std::is_same_v<T, std::string>) {
    if (size == 0) return {};  // The type of an empty list says nothing.
    if (kind != H5T_STRING) fail(at.path, ": ", at.label, " is not a string");
    return read_strings(at, attribute, type, space, size);
  } else {
    const bool whole = kind == H5T_INTEGER || kind == H5T_ENUM;
    if (!whole && !(std::is_same_v<T, double> && kind == H5T_FLOAT))
      fail(at.path, ": ", at.label, " is not ", std::is_same_v<T, double> ? "a number" : "an integer");
    std::vector<T> values(size);
    if (size > 0) check(H5Aread(attribute, types_of(T{}).memory, values.data()), at.path, at.label, "read it");
    // HDF5 clips larger numbers to the largest one.
    if constexpr (std::is_same_v<T, std::int64_t>)
      if (H5Tget_size(type) >= sizeof(T) && H5Tget_sign(type) == H5T_SGN_NONE &&
          std::find(values.begin(), values.end(), std::numeric_limits<T>::max()) != values.end())
        fail(at.path, ": ", at.label, " holds a number of 2^63 or more");
    return values;
  }
}

template <class T>
void write_elements(const AttributeLabel& at, hid_t attribute, const T* values, std::size_t size) {
  if constexpr (std::is_same_v<T, std::string>) {
    std::vector<const char*> pointers;
    for (std::size_t i = 0; i < size; ++i) pointers.push_back(values[i].c_str());
    const Handle type = string_type(at, H5T_CSET_UTF8);
    check(H5Awrite(attribute, type, pointers.data()), at.path, at.label, "write it");
  } else {
    check(H5Awrite(attribute, types_of(T{}).memory, values), at.path, at.label, "write it");
  }
}

herr_t collect(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

bool File::has_attribute(const std::string& object, const std::string& name) const {
  if (impl_->foreign) return impl_->foreign->call<&File::has_attribute>(object, name);
  const auto lock = hdf5_lock();
  const Handle owner = impl_->open_object(object);
  return check(H5Aexists(owner, name.c_str()), impl_->path, object, "look for an attribute") > 0;
}

template <class T>
void File::set_attribute(const std::string& object, const std::string& name, const T& value) {
  using Item = typename Element<T>::Type;
  const auto lock = hdf5_lock();
  const AttributeLabel at{impl_->path, object + ", attribute " + name};
  const Handle owner = impl_->open_object(object);
  if (has_attribute(object, name)) check(H5Adelete(owner, name.c_str()), at.path, at.label, "replace it");
  const Item* values = nullptr;
  std::size_t size = 1;
  hid_t space_id;
  if constexpr (Element<T>::many) {
    values = value.data();
    size = value.size();
    const hsize_t extent = size;
    space_id = H5Screate_simple(1, &extent, nullptr);
  } else {
    values = &value;
    space_id = H5Screate(H5S_SCALAR);
  }
  const Handle space(check(space_id, at.path, at.label, "describe its shape"), H5Sclose);
  const Handle type = type_on_disk<Item>(at);
  const Handle attribute(
      check(H5Acreate2(owner, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), at.path, at.label, "create it"),
      H5Aclose);
  if (size > 0) write_elements(at, attribute, values, size);
}

template <class T>
T File::attribute(const std::string& object, const std::string& name) const {
  using Item = typename Element<T>::Type;
  if (impl_->foreign) return impl_->foreign->call<&File::attribute<T>>(object, name);
  const auto lock = hdf5_lock();
  const AttributeLabel at{impl_->path, object + ", attribute " + name};
  if (!has_attribute(object, name)) fail(impl_->path, ": ", object, " has no attribute ", name);
  const Handle owner = impl_->open_object(object);
  const Handle attribute(check(H5Aopen(owner, name.c_str(), H5P_DEFAULT), at.path, at.label, "open it"), H5Aclose);
  std::vector<Item> values = read_elements<Item>(at, attribute);
  if constexpr (Element<T>::many) {
    return values;
  } else {
    // h5py writes an empty string as an attribute without elements.
    if (values.empty() && std::is_same_v<Item, std::string>) return T{};
    if (values.size() != 1) fail(at.path, ": ", at.label, " holds ", values.size(), " values instead of one");
    return values.front();
  }
}

std::vector<std::string> File::attribute_names(const std::string& object) const {
  if (impl_->foreign) return impl_->foreign->call<&File::attribute_names>(object);
  const auto lock = hdf5_lock();
  const Handle owner = impl_->open_object(object);
  std::vector<std::string> names;
  check(H5Aiterate2(owner, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names), impl_->path, object,
        "list its attributes");
  return names;
}

Attribute File::any_attribute(const std::string& object, const std::string& name) const {
  if (impl_->foreign) return impl_->foreign->call<&File::any_attribute>(object, name);
  const auto lock = hdf5_lock();
  const AttributeLabel at{impl_->path, object + ", attribute " + name};
  if (!has_attribute(object, name)) fail(impl_->path, ": ", object, " has no attribute ", name);
  const Handle owner = impl_->open_object(object);
  const Handle found(check(H5Aopen(owner, name.c_str(), H5P_DEFAULT), at.path, at.label, "open it"), H5Aclose);
  const Handle type(check(H5Aget_type(found), at.path, at.label, "get its type"), H5Tclose);
  const Handle space(check(H5Aget_space(found), at.path, at.label, "get its shape"), H5Sclose);
  const bool many = H5Sget_simple_extent_type(space) == H5S_SIMPLE;
  const auto as = [&](auto element) -> Attribute {
    using T = decltype(element);
    if (many) return attribute<std::vector<T>>(object, name);
    return attribute<T>(object, name);
  };
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return as(std::string{});
    case H5T_FLOAT:
      return as(double{});
    default:
      return as(std::int64_t{});
  }
}

#define TESSEREC_INSTANTIATE(T)                                                           \
  template void File::set_attribute<T>(const std::string&, const std::string&, const T&); \
  template T File::attribute<T>(const std::string&, const std::string&) const;
TESSEREC_INSTANTIATE(std::int64_t)
TESSEREC_INSTANTIATE(double)
TESSEREC_INSTANTIATE(std::string)
TESSEREC_INSTANTIATE(std::vector<std::int64_t>)
TESSEREC_INSTANTIATE(std::vector<double>)
TESSEREC_INSTANTIATE(std::vector<std::string>)
#undef TESSEREC_INSTANTIATE

}  // namespace tesserec::store
