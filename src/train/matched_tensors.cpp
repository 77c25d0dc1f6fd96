// SPDX-License-Identifier: Apache-2.0
#include "matched_tensors.hpp"

#include <algorithm>
#include <set>

#include <fnmatch.h>

#include "tensor_names.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/word_rows.hpp>

namespace tesserec::train {
namespace {

using store::shape_text;
using store::StoredTensor;
using Shape = std::vector<Index>;

/// Returns the shape without extents of 1, since a bias is [n], [n, 1] or [1, n].
Shape squeezed(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

bool is_selected(const std::string& name, const std::vector<std::string>& only) {
  return only.empty() || std::ranges::any_of(only, [&](const std::string& pattern) {
           return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
         });
}

/// Returns the prefix before most of the names that the file shares with the model: "model." if it has
/// model.dense_arch... for dense_arch... Empty if a name stands there without a prefix.
std::string prefix_of(const store::TensorFile& file, const std::vector<std::string>& names) {
  std::map<std::string, Index> counts;
  for (const std::string& name : names) {
    if (file.find(name) != nullptr) return "";
    for (const StoredTensor& tensor : file.tensors())
      if (tensor.name.ends_with("." + name)) ++counts[tensor.name.substr(0, tensor.name.size() - name.size())];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? "" : most->first;
}

/// Matching of one file with one model, which collects mistakes.
class Matching {
 public:
  Matching(const store::TensorFile& file, const store::StateRecords& shapes, const Session& session,
           const ImportSettings& settings)
      : file_(file), shapes_(shapes), session_(session), settings_(settings), there_(settings.map, session) {
    prefix_ = prefix_of(file_, all_names(there_));
  }

  MatchedTensors run() {
    check_settings();
    match_growing();
    for (const auto& [matrix, record] : shapes_) {
      const std::string name = tensor_name(matrix);
      if (!is_selected(name, settings_.only))
        all_.kept.push_back(name);
      else
        match(matrix, name, record);
    }
    list_left_out();
    if (mistakes_.empty()) return std::move(all_);
    constexpr std::size_t shown = 20;
    const std::string advice = other_map();
    const std::size_t count = mistakes_.size();
    mistakes_.resize(std::min(count, shown));
    if (count > shown) mistakes_.push_back(concat("and ", count - shown, " more"));
    fail(file_.path(), " does not fit the model (", counted(std::int64_t(count), "mistake"), "):\n  ",
         join(mistakes_, "\n  "), "\n  ", file_.path(), " has ", counted(std::ssize(file_.tensors()), "tensor"),
         all_.left_out.empty() ? "" : "; the model uses none of " + listed(all_.left_out), advice);
  }

 private:
  static std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 8;
    if (names.size() <= shown) return join(names);
    return join(std::vector<std::string>(names.begin(), names.begin() + shown)) +
           concat(" and ", names.size() - shown, " more");
  }

  /// Returns the names that a program may give to any tensor of the model.
  std::vector<std::string> all_names(const NamesThere& there) const {
    std::vector<std::string> names;
    for (const auto& [matrix, record] : shapes_)
      for (const std::string& name : there.of(tensor_name(matrix))) names.push_back(name);
    return names;
  }

  /// Returns advice to use another map, if the file has some of its names and none of this one's.
  std::string other_map() const {
    const auto found = [&](NameMap map) {
      const std::vector<std::string> names = all_names(NamesThere(map, session_));
      const std::string prefix = prefix_of(file_, names);
      return std::ranges::count_if(names,
                                   [&](const std::string& name) { return file_.find(prefix + name) != nullptr; });
    };
    if (found(settings_.map) > 0) return "";
    constexpr std::pair<NameMap, const char*> maps[] = {
        {NameMap::tesserec, "tesserec"}, {NameMap::reference, "reference"}, {NameMap::torchrec, "torchrec"}};
    for (const auto& [map, name] : maps)
      if (const auto count = found(map); count > 0)
        return concat("\n  ", count, " of them are named as by --map ", name);
    return "";
  }

  void check_settings() {
    std::vector<std::string> ours;
    for (const auto& [matrix, _] : shapes_) ours.push_back(tensor_name(matrix));
    for (const embedding::EmbeddingBagConfig& table : session_.model.tables().tables())
      if (table.grows()) ours.insert(ours.end(), {weight_name(table), ids_name(table)});
    const auto has = [&](const auto& matches) { return std::ranges::any_of(ours, matches); };
    std::set<std::string> named;
    for (const ImportedTensor& tensor : settings_.tensors)
      if (!named.insert(tensor.name).second)
        mistakes_.push_back("import." + tensor.name + ": there is a second [[import]] of this name");
      else if (!has([&](const std::string& name) { return name == tensor.name; }))
        mistakes_.push_back("import." + tensor.name + ": the model has no tensor of this name");
    for (const std::string& pattern : settings_.only)
      if (!has([&](const std::string& name) { return is_selected(name, {pattern}); }))
        mistakes_.push_back("--only: no tensor of the model matches \"" + pattern + "\"");
  }

  static std::string weight_name(const embedding::EmbeddingBagConfig& table) {
    return "tables." + table.name + ".weight";
  }
  static std::string ids_name(const embedding::EmbeddingBagConfig& table) { return "tables." + table.name + ".ids"; }

  /// Matches growing tables, which have neither rows nor a matrix yet.
  void match_growing() {
    for (const embedding::EmbeddingBagConfig& table : session_.model.tables().tables()) {
      if (!table.grows()) continue;
      if (!is_selected(weight_name(table), settings_.only)) {
        all_.kept.push_back(weight_name(table));
        continue;
      }
      const std::string name = ids_name(table);
      const auto own = std::ranges::find(settings_.tensors, name, &ImportedTensor::name);
      const std::string there = own != settings_.tensors.end() ? own->from : prefix_ + name;
      const StoredTensor* const ids = file_.find(there);
      if (ids == nullptr) {
        mistakes_.push_back(concat(name, ": the file has no ", there,
                                   ", the id of each row of the growing table, as int64 [rows]; name it with "
                                   "[[import]], or leave the table out with --only"));
        continue;
      }
      used_.insert(there);
      if (ids->type != store::TensorType::int64 || ids->shape.size() != 1) {
        mistakes_.push_back(concat(name, ": ", there, " is ", ids->type_text, " ", shape_text(ids->shape),
                                   "; save the ids as int64 [rows]"));
        continue;
      }
      all_.ids.emplace(table.name, *ids);
      match(store::item_name(table.name, "weight"), weight_name(table),
            {.rows = ids->shape[0], .columns = table.embedding_dim});
    }
  }

  void match(const std::string& matrix, const std::string& name, const store::StateRecord& record) {
    const auto mistake = [&](const auto&... words) {
      mistakes_.push_back(concat(name, " ", shape_text({record.rows, record.columns}), ": ", words...));
    };
    const auto own = std::ranges::find(settings_.tensors, name, &ImportedTensor::name);
    const bool is_own = own != settings_.tensors.end();
    std::vector<std::string> names = is_own ? std::vector{own->from} : there_.of(name);
    if (!is_own)
      for (std::string& there : names) there = prefix_ + there;
    if (names.empty()) return mistake("this map has no name for it; give it one with [[import]]");
    const StoredTensor* tensor = nullptr;
    for (const std::string& there : names)
      if (tensor == nullptr) tensor = file_.find(there);
    if (tensor == nullptr) return mistake("the file has no ", join(names, " or "), of_this_shape(record));
    used_.insert(tensor->name);
    if (!is_own && !by_map_.insert(tensor->name).second)
      return mistake(tensor->name,
                     " is taken by another tensor of the model, too; give one of them its name with "
                     "[[import]]");
    if (!tensor->has_floats())
      return mistake(tensor->name, " has numbers of type ", tensor->type_text,
                     "; save it as float32, float16 or bfloat16");
    MatchedTensor matched{*tensor, record.rows, record.columns, is_own && own->transpose,
                          there_.columns_of(name, record.columns)};
    if (!fits(matrix, name, matched)) return mistake(tensor->name, misfit(matrix, name, matched));
    all_.of_matrix.emplace(matrix, std::move(matched));
  }

  /// Returns whether the shapes agree. A table may have fewer rows in the file, if the settings allow it.
  bool fits(const std::string& matrix, const std::string& name, MatchedTensor& matched) {
    const Shape ours = matched.transpose ? Shape{matched.columns, matched.rows} : Shape{matched.rows, matched.columns};
    const Shape& theirs = matched.tensor.shape;
    if (squeezed(theirs) == squeezed(ours)) return true;
    const bool grows = shapes_.count(matrix) == 0;
    if (grows || !settings_.fewer_rows || !has_fewer_rows(matrix, matched)) return false;
    all_.fewer_rows.push_back(concat(name, " (", theirs[0], " of ", counted(matched.rows, "row"), ")"));
    matched.rows = theirs[0];
    return true;
  }

  static bool has_fewer_rows(const std::string& matrix, const MatchedTensor& matched) {
    const Shape& theirs = matched.tensor.shape;
    return matrix.starts_with("tables/") && !matched.transpose && theirs.size() == 2 && theirs[1] == matched.columns &&
           theirs[0] < matched.rows;
  }

  std::string misfit(const std::string& matrix, const std::string& name, const MatchedTensor& matched) const {
    const Shape& theirs = matched.tensor.shape;
    std::string text = " is " + shape_text(theirs);
    if (shapes_.count(matrix) == 0)
      return text + concat(", but the file has ", counted(matched.rows, "id"), " of the table");
    if (has_fewer_rows(matrix, matched))
      return text + "; --fewer-rows takes it, and leaves the further rows as they begin";
    if (matrix.starts_with("tables/") && theirs.size() == 2 && theirs[1] == matched.columns)
      return text + "; set the rows of table " + name.substr(7, name.size() - 14) + " with table.NAME.rows";
    if (!matched.transpose && theirs == Shape{matched.columns, matched.rows})
      return text + "; give it transpose = true with [[import]]";
    return text;
  }

  /// Returns the file's unused tensors of this shape, as the end of a message.
  std::string of_this_shape(const store::StateRecord& record) const {
    std::vector<std::string> names;
    for (const StoredTensor& tensor : file_.tensors())
      if (squeezed(tensor.shape) == squeezed({record.rows, record.columns})) names.push_back(tensor.name);
    return names.empty() ? "" : "; tensors of this shape: " + listed(names);
  }

  void list_left_out() {
    for (const StoredTensor& tensor : file_.tensors())
      if (used_.count(tensor.name) == 0) all_.left_out.push_back(tensor.name);
  }

  const store::TensorFile& file_;
  const store::StateRecords& shapes_;
  const Session& session_;
  const ImportSettings& settings_;
  NamesThere there_;
  std::string prefix_;
  std::set<std::string> used_, by_map_;
  std::vector<std::string> mistakes_;
  MatchedTensors all_;
};

}  // namespace

MatchedTensors match_tensors(const store::TensorFile& file, const store::StateRecords& shapes, const Session& session,
                             const ImportSettings& settings) {
  return Matching(file, shapes, session, settings).run();
}

}  // namespace tesserec::train
