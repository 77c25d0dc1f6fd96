// SPDX-License-Identifier: Apache-2.0
// Tables whose rows stand for different values of different features.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/store/parted_file.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::train {
namespace {

/// Values of a vocabulary with consecutive ids.
struct VocabularyValues {
  std::vector<Index> ends;  ///< ends of the values, behind the begin of the first one
  std::vector<std::uint8_t> bytes;

  std::string text(std::size_t value) const {
    return {bytes.begin() + (ends[value] - ends[0]), bytes.begin() + (ends[value + 1] - ends[0])};
  }
};

VocabularyValues read_values(const store::PartedFile& file, const std::string& feature, Index first, Index count) {
  const std::string group = "/vocabulary/" + feature;
  VocabularyValues values;
  values.ends.resize(std::size_t(count) + 1);
  file.read(group + "/offsets", {first, count + 1}, values.ends.data());
  const Index bytes = values.ends.back() - values.ends.front();
  if (!std::is_sorted(values.ends.begin(), values.ends.end()) || values.ends.front() < 0) return {};
  values.bytes.resize(std::size_t(bytes));
  if (bytes > 0) file.read(group + "/tokens", {values.ends.front(), bytes}, values.bytes.data());
  return values;
}

/// Returns the first id that stands for different values of two features, with the values, or nothing.
std::string first_difference(const store::PartedFile& file, const std::string& a, const std::string& b) {
  const auto ids_of = [&](const std::string& feature) -> Index {
    const std::string offsets = "/vocabulary/" + feature + "/offsets";
    return file.index().exists(offsets) ? file.index().shape(offsets).at(0) - 1 : 0;
  };
  constexpr Index block = 1 << 16;  // ids that are read at once
  const Index ids = std::min(ids_of(a), ids_of(b));
  for (Index first = 0; first < ids; first += block) {
    const Index count = std::min(block, ids - first);
    const VocabularyValues of_a = read_values(file, a, first, count), of_b = read_values(file, b, first, count);
    for (std::size_t i = 0; i + 1 < std::min(of_a.ends.size(), of_b.ends.size()); ++i)
      if (of_a.text(i) != of_b.text(i))
        return concat("id ", first + Index(i), " is ", shown(of_a.text(i)), " of ", a, " and ", shown(of_b.text(i)),
                      " of ", b);
  }
  return "";
}

}  // namespace

std::vector<std::string> mixed_tables(const std::vector<embedding::EmbeddingBagConfig>& tables,
                                      const data::SourceInfo& data) {
  std::vector<std::string> mixed;
  std::optional<store::PartedFile> file;
  std::set<std::string> told;
  for (const embedding::EmbeddingBagConfig& table : tables)
    for (std::size_t f = 1; f < table.feature_names.size() && !data.vocabulary.empty() && !data.files.empty(); ++f) {
      const std::string &a = table.feature_names[0], &b = table.feature_names[f];
      if (!told.insert(concat(a, "/", b)).second) continue;
      try {
        if (!file) file.emplace(store::PartedFile::open(data.files.front().path));
        if (const std::string difference = first_difference(*file, a, b); !difference.empty())
          mixed.push_back(concat("table ", table.name, ": ", a, " and ", b,
                                 " have ids of their own, so a row stands for different values: ", difference,
                                 "; give each feature a table, or preprocess with ids = \"hashed\" and max_rows"));
      } catch (const Stopped&) {
        throw;
      } catch (const Error&) {
        return mixed;  // Reading the samples finds what is wrong with the file.
      }
    }
  return mixed;
}

}  // namespace tesserec::train
