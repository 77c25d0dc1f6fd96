// SPDX-License-Identifier: Apache-2.0
// Checks that a dataset's numbers are stored. HDF5 silently reads zeros for chunks that were never written and for
// missing files.
#include <algorithm>
#include <filesystem>

#include "file_impl.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* needs_trust = "; set data.trust = true to read numbers from other files";

struct At {
  const std::string& path;
  const std::string& name;
};

Handle creation_of(const At& at, hid_t dataset) {
  return {check(H5Dget_create_plist(dataset), at.path, at.name, "get its storage layout"), H5Pclose};
}

Index points_of(const At& at, hid_t dataset) {
  const Handle space(check(H5Dget_space(dataset), at.path, at.name, "get its shape"), H5Sclose);
  return check(H5Sget_simple_extent_npoints(space), at.path, at.name, "get its shape");
}

/// Throws Error if HDF5 lacks a filter (compression) of the first chunk. HDF5's own message would blame its plugins.
void require_filters(const At& at, hid_t dataset, hid_t creation) {
  const int filters = check(H5Pget_nfilters(creation), at.path, at.name, "list its filters");
  unsigned left_out = 0;  // bit i is set if the chunk was written without filter i
#if H5_VERSION_GE(1, 10, 5)
  if (filters > 0) {
    hsize_t offset[H5S_MAX_RANK], bytes = 0;
    haddr_t address = 0;
    const Handle space(check(H5Dget_space(dataset), at.path, at.name, "get its shape"), H5Sclose);
    check(H5Dget_chunk_info(dataset, space, 0, offset, &left_out, &address, &bytes), at.path, at.name, "find a chunk");
  }
#else
  static_cast<void>(dataset);
#endif
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    char name[64] = "";
    const H5Z_filter_t id =
        check(H5Pget_filter2(creation, unsigned(i), &flags, &values, nullptr, sizeof name, name, nullptr), at.path,
              at.name, "get its filters");
    if ((left_out >> i & 1) != 0 || H5Zfilter_avail(id) > 0) continue;
    H5Eclear2(H5E_DEFAULT);
    fail(at.path, ": ", at.name, " is compressed with the filter ", shown(name), " (number ", id,
         "), which this HDF5 lacks; write it with gzip or uncompressed, or set HDF5_PLUGIN_PATH to the folder of the "
         "filter's plugin");
  }
}

/// Throws Error if fewer chunks are stored than the shape has.
void require_all_chunks(const At& at, hid_t dataset, hid_t creation, const std::vector<Index>& shape) {
#if H5_VERSION_GE(1, 10, 5)
  hsize_t extents[H5S_MAX_RANK], stored = 0;
  check(H5Pget_chunk(creation, int(shape.size()), extents), at.path, at.name, "get its chunks");
  hsize_t wanted = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) wanted *= (hsize_t(shape[i]) + extents[i] - 1) / extents[i];
  const Handle space(check(H5Dget_space(dataset), at.path, at.name, "get its shape"), H5Sclose);
  check(H5Dget_num_chunks(dataset, space, &stored), at.path, at.name, "count its chunks");
  if (stored < wanted)
    fail(at.path, ": ", at.name, ": only ", stored, " of its ", wanted,
         " chunks were written, and HDF5 reads the others as zeros; write all chunks");
#else
  static_cast<void>(creation);
  static_cast<void>(shape);
  if (H5Dget_storage_size(dataset) == 0) fail(at.path, ": ", at.name, ": its numbers were never written");
#endif
}

/// Throws Error if an external raw file is missing or too short for `bytes` bytes.
void require_raw_files(const At& at, hid_t creation, Index bytes) {
  const int files = check(H5Pget_external_count(creation), at.path, at.name, "list its external files");
  for (int i = 0; i < files; ++i) {
    char name[4096] = "";
    off_t first = 0;
    hsize_t size = 0;
    check(H5Pget_external(creation, unsigned(i), sizeof name - 1, name, &first, &size), at.path, at.name,
          "list its external files");
    const Index needed = size == H5F_UNLIMITED ? bytes : std::min(bytes, Index(size));
    std::error_code error;
    const std::uintmax_t has = fs::file_size(name, error);
    if (error || has < std::uintmax_t(first + needed))
      fail(at.path, ": ", at.name, ": its external file \"", name, "\" ",
           error ? "cannot be read: " + error.message() : concat("has ", has, " bytes, fewer than ", first + needed));
    bytes -= needed;
  }
}

/// Returns the path of a virtual dataset's source: `name` in the folder of `path` if that exists, else `name` itself.
std::string source_path(const std::string& path, const std::string& name) {
  if (name == ".") return path;
  const fs::path sibling = fs::path(path).parent_path() / name;
  std::error_code error;
  return fs::exists(sibling, error) ? sibling.string() : name;
}

/// Returns a text of HDF5. The first call of `get` returns its length, the second one copies it.
template <class Get>
std::string text_from(const At& at, const Get& get) {
  const ssize_t size = check(get(nullptr, std::size_t{0}), at.path, at.name, "list its sources");
  std::string text(std::size_t(size) + 1, '\0');
  check(get(text.data(), text.size()), at.path, at.name, "list its sources");
  text.pop_back();
  return text;
}

}  // namespace

void File::require_stored(const std::string& dataset) const {
  if (impl_->foreign) return impl_->foreign->call<&File::require_stored>(dataset);
  const auto lock = hdf5_lock();
  impl_->require_stored(dataset);
}

void File::Impl::require_own_numbers(const std::string& name, hid_t dataset) const {
  if (trust == Trust::all || created) return;
  const At at{path, name};
  const Handle creation = creation_of(at, dataset);
  const H5D_layout_t layout = check(H5Pget_layout(creation), path, name, "get its storage layout");
  if (layout == H5D_VIRTUAL) fail(path, ": ", name, " is a virtual dataset", needs_trust);
  if (layout == H5D_CONTIGUOUS && check(H5Pget_external_count(creation), path, name, "list its external files") > 0)
    fail(path, ": ", name, " lies in an external file", needs_trust);
}

Index File::Impl::flat_offset(const std::string& name, hid_t type) const {
  if (trust == Trust::all) return -1;  // The values may lie in another file.
  const At at{path, name};
  const Handle dataset = open_dataset(name);
  require_own_numbers(name, dataset);
  const Handle creation = creation_of(at, dataset);
  const Handle stored_type(check(H5Dget_type(dataset), path, name, "get its type"), H5Tclose);
  if (H5Pget_layout(creation) != H5D_CONTIGUOUS || H5Tequal(stored_type, type) <= 0) return -1;
  const haddr_t offset = H5Dget_offset(dataset);
  return offset == HADDR_UNDEF ? -1 : Index(offset);
}

void File::Impl::require_stored(const std::string& name) const {
  const At at{path, name};
  const Handle dataset = open_dataset(name);
  require_own_numbers(name, dataset);
  const Index points = points_of(at, dataset);
  if (points == 0) return;
  const Handle creation = creation_of(at, dataset);
  const Handle type(check(H5Dget_type(dataset), path, name, "get its type"), H5Tclose);
  const Handle space(check(H5Dget_space(dataset), path, name, "get its shape"), H5Sclose);
  hsize_t extents[H5S_MAX_RANK];
  const int rank = check(H5Sget_simple_extent_dims(space, extents, nullptr), path, name, "get its shape");
  switch (H5Pget_layout(creation)) {
    case H5D_CONTIGUOUS: {
      const Index bytes = points * Index(H5Tget_size(type));
      if (H5Pget_external_count(creation) > 0) return require_raw_files(at, creation, bytes);
      if (H5Dget_storage_size(dataset) != hsize_t(bytes)) fail(path, ": ", name, ": its numbers were never written");
      return;
    }
    case H5D_CHUNKED:
      require_all_chunks(at, dataset, creation, {extents, extents + rank});
      return require_filters(at, dataset, creation);
    case H5D_VIRTUAL:
      return require_sources(name, creation, points);
    default:
      return;
  }
}

void File::Impl::require_sources(const std::string& name, hid_t creation, Index points) const {
  const At at{path, name};
  std::size_t sources = 0;
  check(H5Pget_virtual_count(creation, &sources), path, name, "list its sources");
  Index covered = 0;
  for (std::size_t i = 0; i < sources; ++i) {
    const auto file_name = [&](char* to, std::size_t size) { return H5Pget_virtual_filename(creation, i, to, size); };
    const auto data_name = [&](char* to, std::size_t size) { return H5Pget_virtual_dsetname(creation, i, to, size); };
    const std::string file_text = text_from(at, file_name), source = text_from(at, data_name);
    const Handle target_space(check(H5Pget_virtual_vspace(creation, i), path, name, "list its sources"), H5Sclose);
    const Handle source_space(check(H5Pget_virtual_srcspace(creation, i), path, name, "list its sources"), H5Sclose);
    const hssize_t size = H5Sget_select_npoints(target_space);
    if (size < 0 || file_text.find('%') != std::string::npos || source.find('%') != std::string::npos)
      fail(path, ": ", name, ": a virtual dataset needs a fixed list of sources");
    covered += size;
    const std::string from = source_path(path, file_text);
    if (from == path && plain(source) == plain(name)) fail(path, ": ", name, " is a virtual dataset over itself");
    std::error_code error;
    if (!fs::is_regular_file(from, error))
      fail(path, ": ", name, ": its source \"", file_text, "\" is missing; HDF5 would read zeros");
    const File file = open_in_process(from, trust);
    const std::vector<Index> shape = file.shape(source);
    bool inside = false;
    if (H5Sget_select_type(source_space) == H5S_SEL_ALL) {  // The mapping may not know the source's shape.
      Index total = 1;
      for (const Index extent : shape) total *= extent;
      inside = total == size;
    } else {
      hsize_t first[H5S_MAX_RANK], last[H5S_MAX_RANK];
      check(H5Sget_select_bounds(source_space, first, last), path, name, "list its sources");
      inside = H5Sget_simple_extent_ndims(source_space) == int(shape.size());
      for (std::size_t d = 0; inside && d < shape.size(); ++d) inside = Index(last[d]) < shape[d];
    }
    if (!inside) fail(from, ": ", source, " has shape [", join(shape), "], which is too small for ", path);
    file.require_stored(source);
  }
  if (covered < points)
    fail(path, ": ", name, ": its sources give ", covered, " of its ", points,
         " numbers; HDF5 would read the rest as zeros");
}

}  // namespace tesserec::store
