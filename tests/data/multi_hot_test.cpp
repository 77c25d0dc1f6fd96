// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <set>

#include "catch.hpp"
#include "errors.hpp"
#include "samples_file.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/columns.hpp>

using namespace tesserec;
using data::Use;

namespace {

/// Returns the settings of 30000 planted samples with one id in each of three features.
data::Settings single_ids(std::vector<Index> sizes) {
  data::Settings settings;
  settings.synthetic.kind = data::SyntheticKind::planted;
  settings.synthetic.samples = 30000;
  settings.synthetic.rows = {1, 50, 40000};
  settings.synthetic.dense_features = 2;
  settings.multi_hot_sizes = std::move(sizes);
  return settings;
}

/// Returns a file name of this rank's own.
std::string own_path(const std::string& name) { return concat(comm::Communicator(MPI_COMM_WORLD).rank(), "_", name); }

std::unique_ptr<data::Source> multi_hot_source(const data::Settings& settings) {
  return data::make_source(settings, Use::train, {0, 1, Lanes(1), 30000, false, 5});
}

std::vector<Index> bag_of(const data::Batch& batch, Index feature, Index sample) {
  const Index* const first = batch.sparse.values.data() + batch.sparse.begin(feature, sample);
  return {first, first + batch.sparse.length(feature, sample)};
}

}  // namespace

TEST_CASE("multi_hot_sizes: bags begin with the id and are a function of it") {
  const auto source = multi_hot_source(single_ids({3, 1, 4})), single = multi_hot_source(single_ids({}));
  CHECK(source->info().ids_per_bag == std::vector<double>{3, 1, 4});
  CHECK(source->info().multi_hot == std::vector<Index>{3, 1, 4});
  data::Batch batch{Exec()}, plain{Exec()};
  REQUIRE((source->next(batch) && single->next(plain)));
  std::map<Index, std::vector<Index>> bags;
  bool same = true;
  Index repeated = 0;
  for (Index b = 0; b < batch.size; ++b) {
    same &= bag_of(batch, 0, b) == std::vector<Index>{0, 0, 0};
    same &= bag_of(batch, 1, b) == bag_of(plain, 1, b);
    same &= batch.labels(b) == plain.labels(b);
    const std::vector<Index> bag = bag_of(batch, 2, b);
    same &= std::ssize(bag) == 4 && bag.front() == bag_of(plain, 2, b).front();
    const auto [found, is_new] = bags.emplace(bag.front(), bag);
    repeated += is_new ? 0 : 1;
    same &= found->second == bag;
  }
  CHECK(same);
  CHECK(repeated > 1000);
  // The bags of an id in two features, and of two seeds, differ.
  data::Settings other = single_ids({3, 1, 4});
  other.multi_hot_seed = 1;
  const auto seeded = multi_hot_source(other);
  REQUIRE(seeded->next(plain));
  CHECK(bag_of(plain, 2, 7).front() == bag_of(batch, 2, 7).front());
  CHECK(bag_of(plain, 2, 7) != bag_of(batch, 2, 7));
}

TEST_CASE("multi_hot_sizes: single ids of every law of the reference generator become bags") {
  for (const data::IdLaw law : {data::IdLaw::uniform, data::IdLaw::gaussian, data::IdLaw::zipf}) {
    data::Settings settings = single_ids({3, 1, 4});
    settings.synthetic.kind = data::SyntheticKind::reference;
    settings.synthetic.ids = law;
    data::Batch batch{Exec()};
    REQUIRE(multi_hot_source(settings)->next(batch));
    CHECK(batch.sparse.total() == 30000 * 8);
  }
}

TEST_CASE("multi_hot_sizes: batches are the same on any ranks") {
  const data::Settings settings = single_ids({2, 5, 8});
  const data::Deal deal{0, 1, Lanes(8), 1000, true, 5};
  const auto one_rank = samples_file::drain(settings, Use::train, deal, 1, 1, 0);
  REQUIRE(one_rank.size() == 30);
  CHECK(samples_file::drain(settings, Use::train, deal, 3, 1, 0) == one_rank);
  CHECK(samples_file::drain(settings, Use::train, deal, 2, 1, 29).front() == one_rank.back());
}

TEST_CASE("multi_hot_sizes: the ids behind the first are uniform, in each place") {
  // Each of the 40000 ids of a file has one sample, so that no bag comes twice.
  const Index rows = 40000;
  samples_file::packed(own_path("multi_hot_ids.h5"), 0, rows, [](store::File& file) {
    std::vector<std::int32_t> ids;
    for (Index i = 0; i < rows; ++i) ids.insert(ids.end(), {std::int32_t(i), 0});
    file.write("/sparse/ids", {0, rows}, ids.data());
    file.set_attribute("/", "rows", std::vector<std::int64_t>{rows, 1000});
  });
  data::Settings settings;
  settings.train = {own_path("multi_hot_ids.h5")};
  settings.multi_hot_sizes = {6, 1};
  const auto source = data::make_source(settings, Use::train, {0, 1, Lanes(1), rows, false, 5});
  source->limit_rows({rows, 1000});
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  for (Index place = 1; place < 6; ++place) {
    std::vector<double> counts(100, 0.0);
    Index lowest = rows, highest = 0;
    for (Index b = 0; b < rows; ++b) {
      const Index id = bag_of(batch, 0, b)[place];
      ++counts.at(id / (rows / 100));
      lowest = std::min(lowest, id);
      highest = std::max(highest, id);
    }
    double square = 0;
    for (const double count : counts) square += (count - 400) * (count - 400) / 400;
    CHECK(square == Approx(99).margin(4 * std::sqrt(2 * 99.0)));
    CHECK(lowest < 10);
    CHECK((highest >= rows - 10 && highest < rows));
  }
  // No place repeats another one.
  Index equal = 0;
  for (Index b = 0; b < rows; ++b) {
    const std::vector<Index> bag = bag_of(batch, 0, b);
    equal += std::ssize(bag) - std::ssize(std::set<Index>(bag.begin(), bag.end()));
  }
  CHECK(double(equal) == Approx(15.0).margin(20));  // 15 pairs of places, of which each is equal once in 40000 bags
}

TEST_CASE("multi_hot_sizes: sizes that do not fit the data are refused") {
  const auto error = [](const data::Settings& settings) {
    return error_of([&] {
      data::Batch batch{Exec()};
      multi_hot_source(settings)->next(batch);
    });
  };
  CHECK(mentions(error(single_ids({2, 2})), "data.multi_hot_sizes has 2 sizes for 3 features"));
  data::Settings bags = single_ids({2, 2, 2});
  bags.synthetic.ids_per_bag = 2;
  CHECK(mentions(error(bags), "feature C1 of planted model has 2 ids a sample, not 1"));
  data::Settings hashed = single_ids({2, 2, 2});
  hashed.synthetic.hashed = true;
  CHECK(mentions(error(hashed), "feature C1 of planted model has ids of 64 bits"));
  // Bags that have one id on average are found by their lengths.
  data::Settings variable = single_ids({2, 2, 2});
  variable.synthetic.ids_per_bag = 2;
  variable.synthetic.variable_bags = true;
  CHECK(mentions(error(variable), "in sample"));
  // Columns in another order would get the sizes of others.
  samples_file::packed(own_path("multi_hot_packed.h5"), 0, 100);
  samples_file::packed_turned(own_path("multi_hot_turned.h5"), 0, 100);
  data::Settings files;
  files.train = {own_path("multi_hot_packed.h5")};
  files.evaluate = {own_path("multi_hot_turned.h5")};
  files.multi_hot_sizes = {2, 3};
  const data::Deal deal{0, 1, Lanes(1), 100, false, 5};
  const data::SourceInfo wanted = data::make_source(files, Use::train, deal)->info();
  CHECK(mentions(error_of([&] { data::in_order(data::make_source(files, Use::evaluate, deal), wanted); }),
                 "data.multi_hot_sizes are in the order of the features of"));
}
