// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>

#include "recency_stack.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/dataset.hpp>
#include <tesserec/data/reuse_profile.hpp>
#include <tesserec/data/synthetic.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::data {
namespace {

constexpr const char* profile_format = "tesserec-profile";
constexpr std::int64_t profile_version = 1;
constexpr Index read_samples = 65536;                // samples that are read at once
constexpr Index most_counted = Index{1} << 40;       // of a pair in a histogram
constexpr int octave_bits = 3;                       // 8 bins an octave
constexpr Index plain_distances = 2 << octave_bits;  // distances with a bin each

/// Profile of one feature while it is recorded.
class FeatureRecorder {
 public:
  void add_bag(std::span<const Index> ids) {
    ++lengths_[std::ssize(ids)];
    for (const Index id : ids) {
      const Index number = numbers_.try_emplace(id, stack_.size()).first->second;
      if (const Index depth = stack_.use(number); depth >= 0) ++distances_[distance_bin(depth)];
      ++ids_;
    }
  }

  FeatureProfile profile(const std::string& name, Index rows) const {
    FeatureProfile profile{name, rows == any_id ? 0 : rows, ids_, stack_.size(), {}, {}};
    for (const auto& [length, times] : lengths_) profile.lengths.push_back({length, times});
    for (const auto& [bin, times] : distances_) profile.distances.push_back({bin_begin(bin), times});
    return profile;
  }

 private:
  std::unordered_map<Index, Index> numbers_;  // number of each id, in the order of their first use
  RecencyStack stack_;
  std::map<Index, Index> lengths_, distances_;
  Index ids_ = 0;
};

Json json_of(const std::vector<ReuseCount>& counts) {
  Json pairs = Json::array();
  for (const ReuseCount& count : counts) pairs.add(std::vector<Index>{count.value, count.times});
  return pairs;
}

Json json_of(const FeatureProfile& feature) {
  return Json::object()
      .set("name", feature.name)
      .set("rows", feature.rows)
      .set("ids", feature.ids)
      .set("distinct", feature.distinct)
      .set("lengths", json_of(feature.lengths))
      .set("distances", json_of(feature.distances));
}

/// Reads pairs [value, times]. Throws Error if they do not ascend or a number is negative.
std::vector<ReuseCount> counts_of(const Json& feature, const std::string& member) {
  std::vector<ReuseCount> counts;
  for (const Json& pair : feature.at(member).elements()) {
    if (pair.elements().size() != 2) fail(member, " must be a list of pairs [value, times]");
    const ReuseCount count{pair.elements()[0].integer(), pair.elements()[1].integer()};
    if (count.value < 0 || count.times < 0 || (!counts.empty() && count.value <= counts.back().value))
      fail(member, " must ascend and have no negative number; the pair [", count.value, ", ", count.times,
           "] does not");
    if (std::max(count.value, count.times) > most_counted)
      fail(member, " has the pair [", count.value, ", ", count.times, "], with more than ", most_counted);
    counts.push_back(count);
  }
  return counts;
}

/// Throws Error if the histograms contradict each other, so that they cannot be replayed.
void check(const FeatureProfile& feature, Index samples) {
  if (feature.distinct < 0) fail("distinct is ", feature.distinct, ", below 0");
  Index bags = 0, ids = 0, uses = 0;
  for (const ReuseCount& length : feature.lengths) {
    bags += length.times;
    Index own = 0;
    if (__builtin_mul_overflow(length.value, length.times, &own) || __builtin_add_overflow(ids, own, &ids))
      fail("lengths has ", length.times, " bags of ", counted(length.value, "id"), ", too many to count");
  }
  for (const ReuseCount& distance : feature.distances) {
    uses += distance.times;
    if (bin_begin(distance_bin(distance.value)) != distance.value)
      fail("distances has ", distance.value, ", which begins no bin");
    if (distance.value >= feature.distinct)
      fail("distances has ", distance.value, " with ", counted(feature.distinct, "different id"));
  }
  if (bags != samples) fail("lengths has ", counted(bags, "bag"), " for ", counted(samples, "sample"));
  if (ids != feature.ids || uses != feature.ids - feature.distinct)
    fail("ids is ", feature.ids, ", but lengths has ", ids, ", and distinct and distances have ", feature.distinct,
         " and ", uses);
}

FeatureProfile feature_of(const Json& json, Index samples) {
  FeatureProfile feature{json.at("name").string(),      json.at("rows").integer(),  json.at("ids").integer(),
                         json.at("distinct").integer(), counts_of(json, "lengths"), counts_of(json, "distances")};
  check(feature, samples);
  return feature;
}

/// Records the features f of rank f modulo the ranks.
std::vector<FeatureRecorder> record(const Dataset& dataset, std::size_t rank, std::size_t ranks) {
  const SourceInfo& info = dataset.info();
  const std::size_t features = info.features.size();
  std::vector<FeatureRecorder> recorders(features);
  const std::vector<Index> any(features, any_id);
  Samples samples;
  std::vector<Index> bag;
  for (Index first = 0; first < info.samples; first += read_samples) {
    dataset.read({{first, std::min(first + read_samples, info.samples)}}, any, samples);
    for (std::size_t f = rank; f < features; f += ranks)
      for (Index b = 0; b < samples.size; ++b) {
        if (dataset.packed()) {
          bag = {samples.ids[std::size_t(b) * features + f]};
        } else {
          const Samples::Jagged& jagged = samples.jagged[f];
          bag.assign(jagged.values.begin() + jagged.offsets[std::size_t(b)],
                     jagged.values.begin() + jagged.offsets[std::size_t(b) + 1]);
        }
        recorders[f].add_bag(bag);
      }
  }
  return recorders;
}

}  // namespace

Index distance_bin(Index distance) {
  if (distance < plain_distances) return distance;
  const int octave = std::bit_width(std::uint64_t(distance)) - 1 - octave_bits;
  return (Index(octave) << octave_bits) + (distance >> octave);
}

Index bin_begin(Index bin) {
  if (bin < plain_distances) return bin;
  const Index octave = (bin >> octave_bits) - 1, part = bin & ((1 << octave_bits) - 1);
  return (part + (1 << octave_bits)) << octave;
}

Json ReuseProfile::json() const {
  Json all = Json::array(Json::Layout::lines);
  for (const FeatureProfile& feature : features) all.add(json_of(feature));
  return Json::object(Json::Layout::lines)
      .set("format", profile_format)
      .set("version", profile_version)
      .set("samples", samples)
      .set("features", all);
}

ReuseProfile record_profile(const comm::Communicator& comm, const std::vector<std::string>& patterns,
                            const std::string& key) {
  std::optional<Dataset> dataset;
  comm::agree(comm, [&] { dataset.emplace(patterns, key); });
  comm::agree(comm, [&] { dataset->verify(comm.rank(), comm.size()); });
  constexpr float any = std::numeric_limits<float>::infinity();
  comm::agree(comm, [&] { dataset->limit_labels({-any, any, true}, comm.rank(), comm.size()); });  // ids alone count
  std::vector<FeatureRecorder> recorders;
  comm::agree(comm, [&] { recorders = record(*dataset, std::size_t(comm.rank()), std::size_t(comm.size())); });
  const SourceInfo& info = dataset->info();
  ReuseProfile profile{info.samples, {}};
  for (std::size_t f = 0; f < info.features.size(); ++f) {
    const std::string own = json_of(recorders[f].profile(info.features[f], info.rows[f])).text();
    const std::string text = comm.broadcast(own, int(f % std::size_t(comm.size())));
    profile.features.push_back(feature_of(parse_json(text), info.samples));
  }
  return profile;
}

ReuseProfile read_profile(const std::string& path) {
  const std::string text = read_file(path, "the reuse profile");
  try {
    const Json json = parse_json(text);
    if (json.at("format").string() != profile_format || json.at("version").integer() != profile_version)
      fail("it is not of the format ", profile_format, ", version ", profile_version);
    ReuseProfile profile{json.at("samples").integer(), {}};
    profile.digest = store::checksum_text(store::bytes_checksum("profile", text.data(), std::ssize(text)));
    for (const Json& feature : json.at("features").elements()) {
      try {
        profile.features.push_back(feature_of(feature, profile.samples));
      } catch (const Error& error) {
        fail("feature ", profile.features.size() + 1, ": ", error.what());
      }
    }
    return profile;
  } catch (const Error& error) {
    fail(path, ": ", error.what(), "; write the profile with `tesserec generate --profile`");
  }
}

ReuseProfile trace_profile(const SyntheticSettings& settings) {
  ReuseProfile profile = read_profile(settings.profile);
  const std::vector<Index> rows = synthetic_rows(settings);
  const auto misfit = [&](const char* key, const std::string& text) {
    fail("data.synthetic.", key, " ", text, " of ", settings.profile);
  };
  if (rows.size() != profile.features.size())
    misfit("rows",
           concat("has ", rows.size(), " tables, not one for each of the ", profile.features.size(), " features"));
  for (std::size_t f = 0; f < rows.size(); ++f)
    if (rows[f] < profile.features[f].distinct)
      misfit("rows", concat("has ", rows[f], " for table ", f + 1, ", fewer than the ", profile.features[f].distinct,
                            " different ids of feature ", profile.features[f].name));
  for (const auto& [key, samples] :
       {std::pair("samples", settings.samples), std::pair("evaluate_samples", settings.evaluate_samples)})
    if (samples > profile.samples) misfit(key, concat("is ", samples, ", more than the ", profile.samples, " samples"));
  return profile;
}

}  // namespace tesserec::data
