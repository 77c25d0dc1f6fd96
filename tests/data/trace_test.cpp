// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fstream>
#include <list>
#include <map>

#include "catch.hpp"
#include "errors.hpp"
#include "samples_file.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/data/reuse_profile.hpp>

using namespace tesserec;
using data::Use;

namespace {

/// Returns the stack distances of a list of ids, -1 for first uses, by the definition.
std::vector<Index> slow_distances(const std::vector<Index>& ids) {
  std::list<Index> stack;
  std::vector<Index> distances;
  for (const Index id : ids) {
    const auto found = std::find(stack.begin(), stack.end(), id);
    distances.push_back(found == stack.end() ? -1 : Index(std::distance(stack.begin(), found)));
    if (found != stack.end()) stack.erase(found);
    stack.push_front(id);
  }
  return distances;
}

/// Counts ids as a profile does, but slowly.
data::FeatureProfile slow_profile(const std::vector<std::vector<Index>>& bags) {
  data::FeatureProfile profile;
  std::map<Index, Index> lengths, distances;
  std::vector<Index> ids;
  for (const auto& bag : bags) {
    ++lengths[std::ssize(bag)];
    ids.insert(ids.end(), bag.begin(), bag.end());
  }
  for (const Index distance : slow_distances(ids)) {
    if (distance < 0)
      ++profile.distinct;
    else
      ++distances[data::bin_begin(data::distance_bin(distance))];
  }
  profile.ids = std::ssize(ids);
  for (const auto& [value, times] : lengths) profile.lengths.push_back({value, times});
  for (const auto& [value, times] : distances) profile.distances.push_back({value, times});
  return profile;
}

bool same(const std::vector<data::ReuseCount>& a, const std::vector<data::ReuseCount>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.value == y.value && x.times == y.times; });
}

/// Returns the bags of a source's feature, in the order of the samples.
std::vector<std::vector<Index>> bags_of(data::Source& source, Index feature) {
  std::vector<std::vector<Index>> bags;
  data::Batch batch{Exec()};
  while (source.next(batch))
    for (Index b = 0; b < batch.size; ++b) {
      const Index* const first = batch.sparse.values.data() + batch.sparse.begin(feature, b);
      bags.emplace_back(first, first + batch.sparse.length(feature, b));
    }
  return bags;
}

/// Returns a file name of this rank's own.
std::string own_file(const std::string& name) { return concat(comm::Communicator(MPI_COMM_WORLD).rank(), "_", name); }

/// Writes 6000 samples with a feature of bags and one of Zipf's law, and their profile.
data::ReuseProfile recorded() {
  data::Settings settings;
  settings.synthetic.kind = data::SyntheticKind::planted;
  settings.synthetic.samples = 6000;
  settings.synthetic.rows = {700, 5000};
  settings.synthetic.bag_lengths = {1, 3};
  settings.synthetic.variable_bags = true;
  const auto source = data::make_source(settings, Use::train, {0, 1, Lanes(1), 6000, false, 5});
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  store::File file = store::File::create(own_file("trace_data.h5"));
  samples_file::attributes(file, 6000, {"a", "b"}, {700, 5000}, {});
  file.write_all("/labels", {6000}, batch.labels.data());
  for (Index f = 0; f < 2; ++f) {
    std::vector<std::int64_t> offsets;
    for (Index b = 0; b <= 6000; ++b) offsets.push_back(batch.sparse.offsets(f * 6000 + b) - batch.sparse.begin(f, 0));
    const std::string group = f == 0 ? "/sparse/a" : "/sparse/b";
    file.write_all(group + "/offsets", {6001}, offsets.data());
    file.write_all(group + "/values", {offsets.back()}, batch.sparse.values.data() + batch.sparse.begin(f, 0));
  }
  file.close();
  const data::ReuseProfile profile =
      data::record_profile(comm::Communicator(MPI_COMM_SELF), {own_file("trace_data.h5")}, "--profile");
  std::ofstream(own_file("profile.json")) << profile.json().text() << '\n';
  return profile;
}

data::Settings replayed() {
  data::Settings settings;
  auto& s = settings.synthetic;
  s.kind = data::SyntheticKind::reference;
  s.ids = data::IdLaw::trace;
  s.profile = own_file("profile.json");
  s.samples = 6000;
  s.rows = {700, 5000};
  s.dense_features = 2;
  return settings;
}

}  // namespace

TEST_CASE("distance_bin: bins are those of their first distances and as wide as an eighth of an octave") {
  Index bin = 0;
  for (Index d = 0; d < 200000; ++d) {
    const Index now = data::distance_bin(d);
    if (now != bin) REQUIRE((now == bin + 1 && data::bin_begin(now) == d));
    REQUIRE(data::bin_begin(now) <= d);
    REQUIRE(data::bin_begin(now + 1) > d);
    REQUIRE(data::bin_begin(now + 1) - data::bin_begin(now) <= std::max<Index>(1, data::bin_begin(now) / 8));
    bin = now;
  }
  CHECK(data::distance_bin(15) == 15);
  CHECK(data::distance_bin(16) == data::distance_bin(17));
}

TEST_CASE("record_profile: counts bags, first uses and stack distances") {
  const data::ReuseProfile profile = recorded();
  const data::Settings files = [] {
    data::Settings settings;
    settings.train = {own_file("trace_data.h5")};
    return settings;
  }();
  REQUIRE(profile.samples == 6000);
  REQUIRE(profile.features.size() == 2);
  for (Index f = 0; f < 2; ++f) {
    const auto source = data::make_source(files, Use::train, {0, 1, Lanes(1), 500, false, 5});
    const data::FeatureProfile& found = profile.features[f];
    const data::FeatureProfile expected = slow_profile(bags_of(*source, f));
    CHECK((found.ids == expected.ids && found.distinct == expected.distinct));
    CHECK(same(found.lengths, expected.lengths));
    CHECK(same(found.distances, expected.distances));
    CHECK(found.distances.size() > 40);
  }
  CHECK(profile.features[1].name == "b");
  CHECK(profile.features[1].rows == 5000);
  // Ranks share the features.
  const comm::Communicator world(MPI_COMM_WORLD);
  world.barrier();
  const data::ReuseProfile shared = data::record_profile(world, {"0_trace_data.h5"}, "--profile");
  world.barrier();
  CHECK(shared.json().text() == profile.json().text());
}

TEST_CASE("ids: a trace has the histograms of its profile") {
  const data::ReuseProfile profile = recorded();
  for (Index f = 0; f < 2; ++f) {
    const auto source = data::make_source(replayed(), Use::train, {0, 1, Lanes(1), 500, false, 9});
    const data::FeatureProfile again = slow_profile(bags_of(*source, f));
    CHECK((again.ids == profile.features[f].ids && again.distinct == profile.features[f].distinct));
    CHECK(same(again.lengths, profile.features[f].lengths));
    CHECK(same(again.distances, profile.features[f].distances));
  }
  // Another seed gives another trace; the same seed gives the same in each epoch and on any ranks.
  const data::Deal deal{0, 1, Lanes(4), 500, false, 9};
  data::Deal other = deal;
  other.seed = 10;
  const auto one_rank = samples_file::drain(replayed(), Use::train, deal, 1, 0, 0);
  REQUIRE(one_rank.size() == 12);
  CHECK(samples_file::drain(replayed(), Use::train, other, 1, 0, 0) != one_rank);
  CHECK(samples_file::drain(replayed(), Use::train, deal, 3, 1, 0) == one_rank);
  CHECK(samples_file::drain(replayed(), Use::train, deal, 2, 0, 7) ==
        std::vector(one_rank.begin() + 7, one_rank.end()));
  const auto source = data::make_source(replayed(), Use::train, deal);
  CHECK(source->info().ids_per_bag[1] == Approx(1.5).epsilon(0.03));
}

TEST_CASE("profile: files and settings that do not fit are refused") {
  recorded();
  const data::Deal deal{0, 1, Lanes(1), 500, false, 9};
  const auto error = [&](const data::Settings& settings, bool shuffle = false) {
    data::Deal dealt = deal;
    dealt.shuffle = shuffle;
    return error_of([&] { data::make_source(settings, Use::train, dealt); });
  };
  CHECK(mentions(error(replayed(), true), "data.synthetic.ids = \"trace\" draws the samples in order"));
  data::Settings settings = replayed();
  settings.synthetic.samples = 6001;
  CHECK(mentions(error(settings), "data.synthetic.samples is 6001, more than the 6000 samples of "));
  settings = replayed();
  settings.synthetic.rows = {700};
  CHECK(mentions(error(settings), "data.synthetic.rows has 1 tables"));
  settings.synthetic.rows = {700, 50};
  CHECK(mentions(error(settings), "data.synthetic.rows has 50 for table 2, fewer than the"));
  settings = replayed();
  settings.synthetic.ids_per_bag = 2;
  CHECK(mentions(error(settings), "data.synthetic.ids_per_bag does not apply to ids = \"trace\""));
  settings = replayed();
  settings.synthetic.profile = "";
  CHECK(mentions(error(settings), "data.synthetic.profile is missing"));
  settings.synthetic.profile = "no_profile.json";
  CHECK(mentions(error(settings), "no_profile.json: cannot read the reuse profile"));

  const std::string head = R"({"format": "tesserec-profile", "version": 1, "samples": 2, "features": [)";
  const auto broken = [&](const std::string& text) {
    std::ofstream(own_file("broken.json")) << text;
    return error_of([&] { data::read_profile(own_file("broken.json")); });
  };
  const auto feature = [&](const std::string& rest) {
    return broken(head + R"({"name": "a", "rows": 9, )" + rest + "}]}");
  };
  CHECK(feature(R"("ids": 2, "distinct": 1, "lengths": [[1, 2]], "distances": [[0, 1]])").empty());
  CHECK(mentions(feature(R"("ids": 2, "distinct": 1, "lengths": [[1, 2]], "distances": [[1, 1]])"),
                 "broken.json: feature 1: distances has 1 with 1 different id"));
  CHECK(mentions(feature(R"("ids": 2, "distinct": 1, "lengths": [[1, 2]], "distances": [[0, 2]])"), "ids is 2"));
  CHECK(mentions(feature(R"("ids": 3, "distinct": 2, "lengths": [[1, 3]], "distances": [[0, 1]])"), "3 bags for 2"));
  CHECK(mentions(feature(R"("ids": 2, "distinct": 50, "lengths": [[1, 2]], "distances": [[17, 1]])"), "begins no bin"));
  CHECK(mentions(feature(R"("ids": 2, "distinct": 1, "lengths": [[1, -2]], "distances": [[0, 1]])"), "must ascend"));
  CHECK(
      mentions(broken(R"({"format": "tesserec-profile", "version": 1, "samples": 4294967296, "features": [{"name": "a",
"rows": 9, "ids": 0, "distinct": 0, "lengths": [[4294967296, 4294967296]], "distances": []}]})"),
               "too many to count"));
  CHECK(mentions(feature(R"("ids": 2, "distinct": 1, "lengths": [[1, 9000000000000000000]], "distances": [[0, 1]])"),
                 "with more than 1099511627776"));
  CHECK(mentions(feature(R"("ids": 2, "distinct": -1, "lengths": [[1, 2]], "distances": [[0, 1]])"), "distinct is -1"));
  CHECK(mentions(broken("{"), "broken.json: "));
  CHECK(mentions(broken(R"({"format": "x", "version": 1})"), "not of the format"));
}
