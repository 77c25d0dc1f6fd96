// SPDX-License-Identifier: Apache-2.0
// Checks of samples. Each tests all values in a vectorized loop, and searches for the faulty one only after a failure.
#include "dataset_check.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/core/weight_bounds.hpp>

namespace tesserec::data {
namespace {

constexpr Index largest_packed = std::numeric_limits<std::int32_t>::max();

/// Returns whether all n floats are finite: none has all exponent bits set.
TESSEREC_KERNEL bool all_finite(const float* values, Index n) {
  constexpr std::uint32_t exponent = 0x7f800000;
  std::uint32_t bad = 0;
  for (Index i = 0; i < n; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, values + i, sizeof bits);
    bad |= (bits & exponent) == exponent;
  }
  return bad == 0;
}

/// Returns whether all n values lie in [low, high]. NaN does not.
TESSEREC_KERNEL bool all_in_range(const float* values, Index n, float low, float high) {
  std::uint32_t bad = 0;
  for (Index i = 0; i < n; ++i) bad |= !(values[i] >= low && values[i] <= high);
  return bad == 0;
}

/// Returns whether all n values lie in [low, high] or are NaN.
TESSEREC_KERNEL bool all_in_range_or_lacking(const float* values, Index n, float low, float high) {
  std::uint32_t bad = 0;
  for (Index i = 0; i < n; ++i) bad |= values[i] < low || values[i] > high;
  return bad == 0;
}

/// Returns whether all ids [n, features] row-major lie in [0, limits[f]).
TESSEREC_KERNEL bool all_inside(const std::int32_t* ids, Index n, const std::uint32_t* limits, Index features) {
  std::uint32_t bad = 0;
  for (Index i = 0; i < n; ++i)
    for (Index f = 0; f < features; ++f) bad |= std::uint32_t(ids[i * features + f]) >= limits[f];
  return bad == 0;
}

bool all_inside(const std::vector<Index>& ids, Index limit) {
  bool bad = false;
  for (const Index id : ids) bad |= std::uint64_t(id) >= std::uint64_t(limit);
  return !bad;
}

}  // namespace

std::string SampleCheck::place(Index sample) const {
  for (const Range& run : runs_) {
    if (sample >= run.size()) {
      sample -= run.size();
      continue;
    }
    for (const DatasetPart& part : parts_)
      if (const Index inside = run.begin + sample - part.first; inside < part.samples)
        return "sample " + std::to_string(inside) + " of " + part.file.path();
  }
  assert(false);
  return {};
}

void SampleCheck::require_label(Index i, const LabelRange& labels) const {
  const Index tasks = info_.label_count();
  const float label = samples_.labels[i];
  if (label >= labels.low && label <= labels.high) return;
  const std::string name = tasks > 1 ? " " + info_.tasks[i % tasks] : "";
  if (tasks > 1 && std::isnan(label)) {
    if (labels.may_lack) return;
    fail("label", name, " is missing (NaN) in ", place(i / tasks),
         "; set data.missing_labels = true if samples may lack labels");
  }
  fail("label", name, " ", label, " in ", place(i / tasks), " is outside [", labels.low, ", ", labels.high,
       "], the range of the loss and the metrics; scale the labels, or convert them to 0 and 1");
}

void SampleCheck::targets(const LabelRange& labels) const {
  const Index count = samples_.size * info_.label_count();
  const auto good = labels.may_lack && info_.label_count() > 1 ? all_in_range_or_lacking : all_in_range;
  if (info_.labelled && !good(samples_.labels.data(), count, labels.low, labels.high))
    for (Index i = 0; i < count; ++i) require_label(i, labels);
  const auto bad = std::find_if_not(samples_.weights.begin(), samples_.weights.end(),
                                    [](float weight) { return weight >= 0 && weight <= max_sample_weight; });
  if (bad != samples_.weights.end())
    fail("weight ", *bad, " in ", place(bad - samples_.weights.begin()), " is outside [0, ", max_sample_weight,
         "], the range of sample weights; scale the weights");
}

void SampleCheck::numbers() const {
  const Index columns = info_.dense_features;
  if (!all_finite(samples_.dense.data(), samples_.size * columns))
    for (Index i = 0; i < samples_.size * columns; ++i)
      if (!std::isfinite(samples_.dense[i]))
        fail("dense feature ", info_.dense_names[i % columns], " is ", samples_.dense[i], " in ", place(i / columns),
             "; replace it by a finite number");
  for (std::size_t f = 0; f < samples_.jagged.size(); ++f) {
    const Samples::Jagged& bags = samples_.jagged[f];
    if (all_in_range(bags.weights.data(), std::ssize(bags.weights), -max_id_weight, max_id_weight)) continue;
    for (Index i = 0; i < samples_.size; ++i)
      for (Index j = bags.offsets[i]; j < bags.offsets[i + 1]; ++j)
        if (!(std::abs(bags.weights[j]) <= max_id_weight))
          fail("weight ", bags.weights[j], " of feature ", info_.features[f], " in ", place(i), " is outside [",
               -max_id_weight, ", ", max_id_weight, "], the range of id weights; scale the weights");
  }
}

/// Throws Error for an id that may stand for one of more than 32 bits, to which reading clips.
void SampleCheck::check_packed(Index feature, Index id, Index sample) const {
  if (id == -largest_packed - 1 || id == largest_packed)
    fail("id ", id, " of feature ", info_.features[feature], " in ", place(sample),
         " is one that larger numbers are clipped to, because packed ids have 32 bits; store the ids as bags, in "
         "/sparse/",
         info_.features[feature], " (docs/formats.md)");
}

void SampleCheck::ids(const std::vector<Index>& rows) const {
  const auto features = std::ssize(info_.features);
  const auto refuse = [&](Index feature, Index id, Index sample) {
    fail("id ", id, " of feature ", info_.features[feature], " in ", place(sample), " is outside its table of ",
         counted(rows[feature], "row"), "; give the table more rows, or preprocess the data again");
  };
  if (!samples_.ids.empty()) {
    std::vector<std::uint32_t> limits;
    for (const Index n : rows) limits.push_back(n == any_id ? largest_packed : std::min(n, Index{1} << 31));
    if (all_inside(samples_.ids.data(), samples_.size, limits.data(), features)) return;
    for (Index i = 0; i < samples_.size * features; ++i) {
      const Index feature = i % features, id = samples_.ids[i];
      if (rows[feature] == any_id)
        check_packed(feature, id, i / features);
      else if (id < 0 || id >= rows[feature])
        refuse(feature, id, i / features);
    }
  }
  for (Index f = 0; f < std::ssize(samples_.jagged); ++f) {
    const Samples::Jagged& bags = samples_.jagged[f];
    if (rows[f] == any_id || all_inside(bags.values, rows[f])) continue;
    for (Index i = 0; i < samples_.size; ++i)
      for (Index j = bags.offsets[i]; j < bags.offsets[i + 1]; ++j)
        if (bags.values[j] < 0 || bags.values[j] >= rows[f]) refuse(f, bags.values[j], i);
  }
}

void count_odd(const Samples& samples, OddValues& odd) {
  constexpr float large = 1e9f;
  const auto columns = std::ssize(odd.large);
  for (Index i = 0; i < samples.size * columns; ++i) odd.large[i % columns] += std::abs(samples.dense[i]) >= large;
  for (std::size_t f = 0; f < samples.jagged.size(); ++f) {
    const Samples::Jagged& bags = samples.jagged[f];
    for (Index i = 0; i < samples.size; ++i) {
      const Index begin = bags.offsets[i], end = bags.offsets[i + 1];
      odd.not_single[f] += end - begin != 1;
      if (bags.weights.empty() || begin == end) continue;
      const auto weighs = [](float weight) { return weight != 0; };
      odd.weightless[f] += std::none_of(bags.weights.begin() + begin, bags.weights.begin() + end, weighs);
    }
  }
}

void require_names(const std::string& path, const char* attribute, const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const std::string fault = name_fault(names[i]); !fault.empty())
      fail(path, ": attribute ", attribute, ": entry ", i, ", \"", names[i], "\", is not a valid name: ", fault,
           "; rename it");
    if (!seen.insert(names[i]).second)
      fail(path, ": attribute ", attribute, " has \"", names[i], "\" twice; names must be unique");
  }
}

std::vector<std::string> label_names(const store::File& file) {
  if (!file.exists("/labels")) return {};
  std::vector<std::string> tasks;
  if (file.has_attribute("/", "tasks")) tasks = file.attribute<std::vector<std::string>>("/", "tasks");
  const std::vector<Index> shape = file.shape("/labels");
  if (tasks.empty() && shape.size() != 2) return {};
  if (std::ssize(tasks) < 2 || shape.size() != 2 || shape[1] != std::ssize(tasks))
    fail(file.path(), ": /labels has shape [", join(shape), "], but attribute tasks has ",
         counted(std::ssize(tasks), "name"),
         "; store several labels as [samples, labels] with a name each, and one as [samples] without the attribute");
  require_names(file.path(), "tasks", tasks);
  return tasks;
}

void require_one_form(const store::File& file, const std::vector<std::string>& features, bool packed) {
  if (!file.exists("/sparse")) return;
  for (const std::string& name : file.names("/sparse")) {
    if (packed && name == "ids") continue;
    if (packed)
      fail(file.path(), ": the ids are both packed (/sparse/ids) and in bags (/sparse/", name,
           "); keep one of the two forms");
    if (std::find(features.begin(), features.end(), name) == features.end())
      fail(file.path(), ": /sparse/", name,
           " is not one of the features; add it to the attribute features, or remove it");
  }
}

void require_offsets(const store::PartedFile& file, const std::string& offsets, Index samples, Index values) {
  Index first = 0, last = 0;
  file.read(offsets, {0, 1}, &first);
  file.read(offsets, {samples, 1}, &last);
  if (first != 0) fail(file.path(), ": ", offsets, " begins at ", first, ", but offsets must begin at 0");
  if (last != values)
    fail(file.path(), ": ", offsets, " ends at ", last, ", but there are ", values,
         " ids; the last offset must be the number of ids");
}

}  // namespace tesserec::data
