// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>

#include "dataset_check.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::data {
namespace {

using store::ElementType;
using store::File;

std::string text_of(const std::vector<Index>& shape) { return "[" + join(shape) + "]"; }

std::string yes_or_no(bool is) { return is ? "yes" : "no"; }

std::string form_text(bool packed) { return packed ? "packed" : "jagged"; }

std::string type_text(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return "32-bit floats";
    case ElementType::f64:
      return "64-bit floats";
    case ElementType::i32:
      return "32-bit integers";
    case ElementType::i64:
      return "64-bit integers";
    case ElementType::u8:
      return "bytes";
    case ElementType::other:
      return "another type";
  }
  return "";
}

void require_shape(const store::PartedFile& parted, const std::string& name, const std::vector<Index>& shape) {
  const File& file = parted.index();
  if (!file.exists(name)) fail(file.path(), ": the data set has no ", name);
  if (const auto found = file.shape(name); found != shape)
    fail(file.path(), ": ", name, " has shape ", text_of(found), ", but the attributes require ", text_of(shape));
  parted.require_stored(name);
}

/// Throws Error unless `name` has this shape and one of the integer types. Reading converts their width.
void require_integers(const store::PartedFile& parted, const std::string& name, const std::vector<Index>& shape,
                      const std::vector<ElementType>& types) {
  require_shape(parted, name, shape);
  if (const ElementType found = parted.index().type(name); std::find(types.begin(), types.end(), found) == types.end())
    fail(parted.path(), ": ", name, " holds ", type_text(found), ", not ", join(types, " or ", type_text));
}

/// Throws Error unless `name` has this shape and a numeric type, or h5py's boolean. Reading converts to float.
void require_numbers(const store::PartedFile& parted, const std::string& name, const std::vector<Index>& shape) {
  require_shape(parted, name, shape);
  float first[1] = {};
  if (shape.front() > 0 && parted.index().type(name) == ElementType::other)
    parted.read(name, {0, 1, 0, shape.size() == 2 ? 1 : -1}, first);  // Throws Error for types that are not numeric.
}

std::string all_of(const std::vector<std::string>& names) { return names.empty() ? "none" : join(names); }

void require_same(const std::string& property, const std::string& first_path, const std::string& first,
                  const std::string& path, const std::string& value) {
  if (first != value)
    fail(path, ": the files of a data set must agree in ", property, ", but this file has \"", value, "\" and ",
         first_path, " has \"", first, "\"");
}

/// Returns an optional text attribute, or "".
std::string text_attribute(const File& file, const char* attribute) {
  return file.has_attribute("/", attribute) ? file.attribute<std::string>("/", attribute) : std::string();
}

/// Returns an optional attribute of texts, or an empty list.
std::vector<std::string> list_attribute(const File& file, const char* attribute) {
  return file.has_attribute("/", attribute) ? file.attribute<std::vector<std::string>>("/", attribute)
                                            : std::vector<std::string>();
}

/// Keeps the wider of the file's vocabulary and info's. Throws Error if neither equals or extends the other.
void add_vocabulary(const std::string& first_path, const File& file, SourceInfo& info) {
  const auto or_none = [](const std::string& digest) { return digest.empty() ? "none" : digest; };
  const std::string digest = text_attribute(file, "vocabulary_digest");
  const std::vector<std::string> bases = list_attribute(file, "vocabulary_extends");
  const auto has = [](const std::vector<std::string>& digests, const std::string& wanted) {
    return !wanted.empty() && std::find(digests.begin(), digests.end(), wanted) != digests.end();
  };
  if (has(info.vocabulary_extends, digest)) return;
  if (!has(bases, info.vocabulary))
    require_same("vocabulary_digest", first_path, or_none(info.vocabulary), file.path(), or_none(digest));
  info.vocabulary = digest;
  info.vocabulary_extends = bases;
}

/// Reads the transform of each dense feature; empty if the file names none. Throws Error for a wrong number of them.
std::vector<std::string> transforms_of(const File& file) {
  if (!file.has_attribute("/", "transforms")) return {};
  auto transforms = file.attribute<std::vector<std::string>>("/", "transforms");
  const auto dense = file.attribute<std::vector<std::string>>("/", "dense_features");
  if (transforms.size() != dense.size())
    fail(file.path(), ": attribute transforms has ", counted(transforms.size(), "value"), " for ",
         counted(dense.size(), "dense feature"), "; it needs one for each");
  return transforms;
}

/// Returns whether a file has /labels. Throws Error if its attribute `labelled` says otherwise.
bool is_labelled(const File& file) {
  const bool has_labels = file.exists("/labels");
  if (!file.has_attribute("/", "labelled")) return has_labels;
  const bool declared = file.attribute<std::int64_t>("/", "labelled") != 0;
  if (declared != has_labels)
    fail(file.path(), ": attribute labelled is ", declared, ", but the data set has ", has_labels ? "" : "no ",
         "/labels; correct the attribute");
  return has_labels;
}

/// Opener of a dataset's files, in order. Each file must agree with the first.
class Opener {
 public:
  explicit Opener(store::Trust trust) : trust_(trust) {}
  DatasetFiles operator()(const std::vector<std::string>& patterns, const std::string& key);

 private:
  void open(const std::string& path);
  void check_shapes(DatasetPart& part, bool packed) const;
  void open_keys(const store::PartedFile& parted, Index samples);

  store::Trust trust_;
  SourceInfo info_;
  bool packed_ = true;
  std::vector<DatasetPart> parts_;
};

DatasetFiles Opener::operator()(const std::vector<std::string>& patterns, const std::string& key) {
  const std::vector<std::string> paths = store::list_files(patterns, key);
  if (paths.empty()) fail(key, " names no file; give the path of a data set");
  for (const std::string& path : paths) open(path);
  info_.description = paths.front();
  if (paths.size() > 1) info_.description += " and " + std::to_string(paths.size() - 1) + " more";
  for (const DatasetPart& part : parts_) info_.files.push_back({part.file.path(), part.file.seal()});
  if (info_.samples == 0) fail(key, ": ", info_.description, " holds no samples");
  for (std::size_t f = 0; f < info_.features.size(); ++f) {
    Index ids = packed_ ? info_.samples : 0;
    for (const DatasetPart& part : parts_)
      if (!packed_) ids += part.values[f];
    info_.ids_per_bag.push_back(double(ids) / double(info_.samples));
  }
  return {std::move(info_), packed_, std::move(parts_)};
}

void Opener::open(const std::string& path) {
  DatasetPart part{store::PartedFile::open(path, trust_), info_.samples, 0, false, {}, {}};
  const File& file = part.file.index();
  if (!file.has_attribute("/", "format") || file.attribute<std::string>("/", "format") != dataset_format)
    fail(path, ": the HDF5 file is not a data set (it lacks the attribute format = \"", dataset_format,
         "\"); make one with `tesserec preprocess`");
  if (const auto version = file.attribute<std::int64_t>("/", "version"); version != dataset_version)
    fail(path, ": the data set has format version ", version, ", but this program reads version ", dataset_version,
         "; preprocess its raw files again");
  part.samples = file.attribute<std::int64_t>("/", "samples");
  if (part.samples < 0) fail(path, ": attribute samples is ", part.samples, ", but it must be at least 0");
  const auto features = file.attribute<std::vector<std::string>>("/", "features");
  const auto rows = file.attribute<std::vector<std::int64_t>>("/", "rows");
  const auto dense = file.attribute<std::vector<std::string>>("/", "dense_features");
  const std::vector<std::string> transforms = transforms_of(file);
  require_names(path, "features", features);
  require_names(path, "dense_features", dense);
  if (rows.size() != features.size())
    fail(path, ": attribute rows has ", counted(rows.size(), "value"), " for ", counted(features.size(), "feature"),
         "; it needs one for each");
  const auto smallest = std::min_element(rows.begin(), rows.end());
  if (smallest != rows.end() && *smallest < 1)
    fail(path, ": feature ", features[smallest - rows.begin()], " has ", *smallest, " rows; it needs at least 1");

  const bool packed = file.exists("/sparse/ids") && !file.exists("/sparse/ids/offsets");
  require_one_form(file, features, packed);
  const bool labelled = is_labelled(file);
  if (parts_.empty()) {
    packed_ = packed;
    info_.labelled = labelled;
    info_.tasks = label_names(file);
    info_.dense_names = dense;
    info_.dense_features = std::ssize(dense);
    info_.transforms = transforms;
    info_.features = features;
    info_.sample_weights = file.exists("/weights");
    info_.rows.assign(rows.size(), 0);
    info_.vocabulary = text_attribute(file, "vocabulary_digest");
    info_.vocabulary_extends = list_attribute(file, "vocabulary_extends");
    info_.borders = list_attribute(file, "borders");
    info_.labels = text_attribute(file, "label_values");
  }
  if (!parts_.empty())
    require_same("labels", parts_.front().file.path(), yes_or_no(info_.labelled), path, yes_or_no(labelled));
  check_shapes(part, packed);
  open_keys(part.file, part.samples);
  if (file.has_attribute("/", "bad_rows")) info_.left_out += file.attribute<std::int64_t>("/", "bad_rows");
  const std::vector<std::string> skipped = list_attribute(file, "skipped_rows");
  info_.skipped.insert(info_.skipped.end(), skipped.begin(), skipped.end());
  if (!parts_.empty()) {
    const DatasetPart& first = parts_.front();
    const auto same = [&](const char* property, const std::string& a, const std::string& b) {
      require_same(property, first.file.path(), a, path, b);
    };
    same("features", all_of(info_.features), all_of(features));
    same("names of labels", all_of(info_.tasks), all_of(label_names(file)));
    same("dense features", all_of(info_.dense_names), all_of(dense));
    if (!info_.transforms.empty() && !transforms.empty())
      same("transforms", all_of(info_.transforms), all_of(transforms));
    same("form of the ids", form_text(packed_), form_text(packed));
    same("weights of samples", yes_or_no(info_.sample_weights), yes_or_no(file.exists("/weights")));
    if (const std::string labels = text_attribute(file, "label_values"); !info_.labels.empty() && !labels.empty())
      same("label_values", info_.labels, labels);
    add_vocabulary(first.file.path(), file, info_);
    for (std::size_t f = 0; f < part.weighted.size(); ++f)
      same(("weights of feature " + features[f]).c_str(), yes_or_no(first.weighted[f]), yes_or_no(part.weighted[f]));
  }
  for (std::size_t f = 0; f < rows.size(); ++f) info_.rows[f] = std::max(info_.rows[f], rows[f]);
  info_.weighted = part.weighted;
  info_.samples += part.samples;
  parts_.push_back(std::move(part));
}

void Opener::check_shapes(DatasetPart& part, bool packed) const {
  const File& file = part.file.index();
  const Index n = part.samples;
  const auto features = file.attribute<std::vector<std::string>>("/", "features");
  const Index dense = file.attribute<std::vector<std::string>>("/", "dense_features").size();
  if (info_.labelled) {
    require_numbers(part.file, "/labels",
                    info_.tasks.empty() ? std::vector<Index>{n} : std::vector<Index>{n, info_.label_count()});
    part.byte_labels = file.type("/labels") == ElementType::u8;
  }
  if (file.exists("/weights")) require_numbers(part.file, "/weights", {n});
  if (dense > 0) require_numbers(part.file, "/dense", {n, dense});
  if (packed) {
    require_integers(part.file, "/sparse/ids", {n, std::ssize(features)},
                     {ElementType::i32, ElementType::i64, ElementType::u8});
    const auto rows = file.attribute<std::vector<std::int64_t>>("/", "rows");
    const auto largest = std::max_element(rows.begin(), rows.end());
    const bool wide = file.type("/sparse/ids") == ElementType::i64;
    if (wide && largest != rows.end() && *largest > std::numeric_limits<std::int32_t>::max())
      fail(file.path(), ": feature ", features[largest - rows.begin()], " has ", *largest,
           " rows, more than packed ids can address; store its ids as bags in /sparse/",
           features[largest - rows.begin()]);
  }
  part.weighted.assign(features.size(), false);
  if (packed) return;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const std::string group = "/sparse/" + features[f];
    require_integers(part.file, group + "/offsets", {n + 1}, {ElementType::i64, ElementType::i32});
    const std::string values = group + "/values";
    if (!file.exists(values)) fail(file.path(), ": the data set has no ", values);
    const std::vector<Index> shape = file.shape(values);
    const Index size = shape.size() == 1 ? shape[0] : -1;
    require_integers(part.file, values, {std::max<Index>(size, 0)},
                     {ElementType::i32, ElementType::i64, ElementType::u8});
    part.weighted[f] = file.exists(group + "/weights");
    if (part.weighted[f]) require_numbers(part.file, group + "/weights", {size});
    part.values.push_back(size);
    if (part.file.parts() == 0) require_offsets(part.file, group + "/offsets", n, size);  // Parts are verified later.
  }
}

void Opener::open_keys(const store::PartedFile& parted, Index samples) {
  const std::vector<std::string> names = list_attribute(parted.index(), "keys");
  require_names(parted.path(), "keys", names);
  if (parts_.empty())
    for (const std::string& name : names) info_.keys.push_back({name, 0});
  const auto name_of = [](const KeyColumn& key) { return key.name; };
  if (!parts_.empty())
    require_same("keys", parts_.front().file.path(), join(info_.keys, ", ", name_of), parted.path(), join(names));
  for (KeyColumn& key : info_.keys) {
    const std::string name = "/keys/" + key.name;
    if (!parted.index().exists(name)) fail(parted.path(), ": the data set has no ", name);
    const std::vector<Index> shape = parted.index().shape(name);
    const Index bytes = shape.size() == 2 ? shape[1] : 1;
    require_integers(parted, name, {samples, bytes}, {ElementType::u8});
    key.bytes = std::max(key.bytes, bytes);
  }
}

}  // namespace

DatasetFiles open_dataset(const std::vector<std::string>& patterns, const std::string& key, store::Trust trust) {
  return Opener(trust)(patterns, key);
}

}  // namespace tesserec::data
