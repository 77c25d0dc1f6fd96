// SPDX-License-Identifier: Apache-2.0
// Data sets and generators whose samples have several labels.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "samples_file.hpp"
#include "store/scratch.hpp"

using namespace tesserec;
using data::Use;

namespace {

constexpr float lacking = std::numeric_limits<float>::quiet_NaN();

/// Writes samples with the labels i % 2, i / 2 % 2 and, unless it lacks, i / 4 % 2; `bag`: ids in bags.
void three_labels(const std::string& path, Index samples, bool bytes, bool bag = false,
                  const std::function<void(store::File&)>& change = {}) {
  store::File file = store::File::create(path);
  samples_file::attributes(file, samples, {"a"}, {100000}, {});
  file.set_attribute("/", "tasks", std::vector<std::string>{"click", "like", "buy"});
  std::vector<float> labels;
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets;
  for (Index i = 0; i < samples; ++i) {
    labels.insert(labels.end(), {float(i % 2), float(i / 2 % 2), bytes || i % 2 == 1 ? float(i / 4 % 2) : lacking});
    ids.push_back(std::int32_t(i));
    offsets.push_back(i);
  }
  offsets.push_back(samples);
  const std::vector<std::uint8_t> small(labels.begin(), labels.end());
  if (bytes)
    file.write_all("/labels", {samples, 3}, small.data());
  else
    file.write_all("/labels", {samples, 3}, labels.data());
  if (bag) {
    file.write_all("/sparse/a/offsets", {samples + 1}, offsets.data());
    file.write_all("/sparse/a/values", {samples}, ids.data());
  } else {
    file.write_all("/sparse/ids", {samples, 1}, ids.data());
  }
  if (change) change(file);
  file.close();
}

std::unique_ptr<data::Source> reading(const std::string& path, bool shuffle = true) {
  data::Settings settings;
  settings.train = {path};
  return data::make_source(settings, Use::train, {0, 1, Lanes(4), 100, shuffle, 1});
}

/// Checks each sample's labels by its id; `places`: of the labels that a batch has. Returns the number of samples.
Index check(data::Source& source, const std::vector<Index>& places, bool bytes) {
  Index samples = 0;
  data::Batch batch{Exec()};
  for (source.seek(0, 0); source.next(batch); samples += batch.size) {
    REQUIRE(batch.tasks == std::ssize(places));
    for (Index b = 0; b < batch.size; ++b) {
      const Index i = batch.sparse.values(b);
      const float labels[] = {float(i % 2), float(i / 2 % 2), bytes || i % 2 == 1 ? float(i / 4 % 2) : lacking};
      for (std::size_t t = 0; t < places.size(); ++t) {
        const float got = batch.labels(b * batch.tasks + Index(t)), want = labels[places[t]];
        REQUIRE((got == want || (std::isnan(got) && std::isnan(want))));
      }
    }
  }
  return samples;
}

data::Settings planted(std::vector<std::string> labels) {
  data::Settings settings;
  settings.synthetic.kind = data::SyntheticKind::planted;
  settings.synthetic.samples = 20000;
  settings.synthetic.evaluate_samples = 20000;
  settings.synthetic.rows = {50, 20};
  settings.synthetic.dense_features = 4;
  settings.synthetic.labels.names = std::move(labels);
  return settings;
}

}  // namespace

TEST_CASE("Dataset: reads several labels of each sample in any order and form") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  for (const bool bytes : {true, false})
    for (const bool bag : {true, false})
      for (const bool shuffle : {true, false}) {
        CAPTURE(bytes, bag, shuffle);
        three_labels(scratch / "x.h5", 1003, bytes, bag);
        const auto source = reading(scratch / "x.h5", shuffle);
        CHECK(source->info().tasks == std::vector<std::string>{"click", "like", "buy"});
        CHECK(source->limit_labels({0, 1, true}) == std::vector<Index>{0, 0, bytes ? 0 : 502});
        CHECK(check(*source, {0, 1, 2}, bytes) == 1003);
      }
}

TEST_CASE("Dataset: refuses labels whose names or values do not fit") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string path = scratch / "x.h5";
  three_labels(path, 20, false);
  CHECK(mentions(error_of([&] { reading(path)->limit_labels({}); }),
                 "label buy is missing (NaN) in sample 0 of " + path + "; set data.missing_labels = true"));
  three_labels(path, 20, true, false, [](store::File& file) {
    const std::uint8_t two = 2;
    file.write("/labels", {7, 1, 1, 1}, &two);
  });
  CHECK(mentions(error_of([&] { reading(path)->limit_labels({}); }), "label 2 in sample 7 of " + path));
  three_labels(path, 20, false, false, [](store::File& file) {
    const float five = 5;
    file.write("/labels", {3, 1, 1, 1}, &five);
  });
  CHECK(mentions(error_of([&] {
                   reading(path)->limit_labels({0, 1, true});
                 }),
                 "label like 5 in sample 3 of " + path + " is outside [0, 1]"));
  const auto named = [&](const std::vector<std::string>& names) {
    three_labels(path, 20, true, false, [&](store::File& file) { file.set_attribute("/", "tasks", names); });
    return error_of([&] { reading(path); });
  };
  CHECK(mentions(named({"click", "like"}), "/labels has shape [20, 3], but attribute tasks has 2 names"));
  CHECK(mentions(named({"click", "like", "like"}), "names must be unique"));
  three_labels(path, 20, true);
  three_labels(scratch / "y.h5", 20, true, false, [](store::File& file) {
    file.set_attribute("/", "tasks", std::vector<std::string>{"like", "click", "buy"});
  });
  data::Settings both;
  both.train = {path, scratch / "y.h5"};
  CHECK(mentions(error_of([&] {
                   data::make_source(both, Use::train, {0, 1, Lanes(4), 10, true, 1});
                 }),
                 "must agree in names of labels"));
}

TEST_CASE("with_labels: takes the labels of model.tasks in their order") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string path = scratch / "x.h5";
  three_labels(path, 1003, false);
  const auto two = data::with_labels(reading(path), {"buy", "click"});
  CHECK(two->info().label_count() == 2);
  CHECK(two->limit_labels({0, 1, true}) == std::vector<Index>{502, 0});
  CHECK(check(*two, {2, 0}, false) == 1003);
  const auto one = data::with_labels(reading(path), {"like"});  // the label that lacks is not chosen
  CHECK(one->limit_labels({}) == std::vector<Index>{0});
  CHECK(check(*one, {1}, false) == 1003);
  CHECK(mentions(error_of([&] { data::with_labels(reading(path), {"buy"})->limit_labels({}); }),
                 "502 samples or more lack the label buy, the only one of model.tasks"));
  CHECK(mentions(error_of([&] {
                   data::with_labels(reading(path), {"buy", "like"})->limit_labels({});
                 }),
                 "lack the label buy; set data.missing_labels = true"));
  CHECK(mentions(error_of([&] { data::with_labels(reading(path), {}); }),
                 path + " has the labels click, like, buy; set model.tasks"));
  CHECK(mentions(error_of([&] { data::with_labels(reading(path), {"sold"}); }), "model.tasks names \"sold\", but "));
  samples_file::packed(scratch / "one.h5", 0, 50);
  CHECK(data::with_labels(reading(scratch / "one.h5"), {})->info().label_count() == 1);
  CHECK(mentions(error_of([&] { data::with_labels(reading(scratch / "one.h5"), {"click"}); }),
                 "has one label, without a name; give data that name these labels, or remove model.tasks"));
}

TEST_CASE("with_labels: has the raw values of the labels that it takes") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const auto values_of = [&](const std::string& text, const std::vector<std::string>& tasks) {
    const std::string path = scratch / "x.h5";
    three_labels(path, 20, true, false, [&](store::File& file) { file.set_attribute("/", "label_values", text); });
    return data::with_labels(reading(path), tasks)->info().labels;
  };
  const std::string all = "click: 1 is \"a\", 0 is \"; b\"; like: 1 is at least 2, 0 is less; buy: 1 is \"like: \"";
  CHECK(values_of(all, {"click"}) == "1 is \"a\", 0 is \"; b\"");
  CHECK(values_of(all, {"buy", "like"}) == "buy: 1 is \"like: \"; like: 1 is at least 2, 0 is less");
  CHECK(values_of(all, {"click", "like", "buy"}) == all);
  CHECK(values_of("click: 1 is \"long_click: \"; like: y; buy: z", {"click"}) == "1 is \"long_click: \"");
  for (const std::string text :
       {"click: x; like: y", "click: x; like: y; buy: a; buy: z", "a; click: x; like: y; buy: z"})
    CHECK(values_of(text, {"click"}).empty());
}

TEST_CASE("without_labels: gives zeros for labels that the model does not learn") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string path = scratch / "x.h5";
  three_labels(path, 20, true);
  CHECK(data::has_labels(reading(path)->info(), {"buy", "click"}));
  CHECK(!data::has_labels(reading(path)->info(), {"buy", "sold"}));
  CHECK(!data::has_labels(reading(path)->info(), {}));
  for (const std::vector<std::string>& tasks : {std::vector<std::string>{"buy", "sold"}, std::vector<std::string>{}}) {
    const auto source = data::without_labels(reading(path), tasks);
    CHECK(!source->info().labelled);
    CHECK(source->info().label_count() == std::max<Index>(1, std::ssize(tasks)));
    CHECK(source->limit_labels({2, 3, false}).empty());
    data::Batch batch{Exec()};
    REQUIRE(source->next(batch));
    REQUIRE(batch.tasks == source->info().label_count());
    for (Index i = 0; i < batch.size * batch.tasks; ++i) CHECK(batch.labels(i) == 0.0f);
  }
}

TEST_CASE("with_labels: gives samples without labels zeros") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  store::File file = store::File::create(scratch / "x.h5");
  samples_file::attributes(file, 50, {"a"}, {2}, {});
  file.write_all("/sparse/ids", {50, 1}, std::vector<std::int32_t>(50, 1).data());
  file.close();
  data::Settings settings;
  settings.predict = {scratch / "x.h5"};
  const auto source =
      data::with_labels(data::make_source(settings, Use::predict, {0, 1, Lanes(4), 10, false, 1}), {"click", "buy"});
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  REQUIRE(batch.tasks == 2);
  for (Index i = 0; i < batch.size * 2; ++i) CHECK(batch.labels(i) == 0.0f);
}

TEST_CASE("PlantedModel: the first of several labels is that of the model with one") {
  const data::Deal deal{0, 1, Lanes(4), 500, true, 5};
  data::Settings several = planted({"click", "like", "buy"});
  several.synthetic.labels.rates = {0.25, 0.5, 0.05};
  several.synthetic.labels.missing = 0.3;
  several.synthetic.labels.correlation = 0.6;
  const auto all = data::make_source(several, Use::train, deal), one = data::make_source(planted({}), Use::train, deal);
  data::Batch batch{Exec()}, first{Exec()};
  Index samples = 0;
  std::array<double, 3> sum{}, with{};
  double both = 0, and_like = 0;
  while (all->next(batch) && one->next(first)) {
    REQUIRE(batch.size == first.size);
    for (Index b = 0; b < batch.size; ++b, ++samples) {
      REQUIRE(batch.labels(3 * b) == first.labels(b));
      for (Index t = 0; t < 3; ++t)
        if (const float label = batch.labels(3 * b + t); !std::isnan(label)) sum[t] += label, with[t] += 1;
      if (std::isnan(batch.labels(3 * b + 1))) continue;
      and_like += batch.labels(3 * b);
      both += batch.labels(3 * b) * batch.labels(3 * b + 1);
    }
  }
  CHECK(samples == 20000);
  CHECK(with[0] == 20000);
  for (const Index t : {1, 2}) CHECK(with[t] / 20000 == Approx(0.7).margin(0.02));
  CHECK(sum[0] / with[0] == Approx(0.25).margin(0.02));
  CHECK(sum[1] / with[1] == Approx(0.5).margin(0.02));
  CHECK(sum[2] / with[2] == Approx(0.05).margin(0.01));
  CHECK(both / and_like > 0.55);  // 0.5 if the labels were independent
}

TEST_CASE("PlantedModel: in a funnel a label is 1 only where the one before it is, with the truth's probability") {
  const data::Deal deal{0, 1, Lanes(4), 500, true, 5};
  data::Settings settings = planted({"see", "click", "buy"});
  settings.synthetic.labels.rates = {0.6, 0.5, 0.3};
  settings.synthetic.labels.funnel = true;
  const auto source = data::make_source(settings, Use::train, deal);
  data::Batch batch{Exec()};
  std::array<double, 3> sum{};
  Index samples = 0;
  while (source->next(batch))
    for (Index b = 0; b < batch.size; ++b, ++samples)
      for (Index t = 0; t < 3; ++t) {
        sum[t] += batch.labels(3 * b + t);
        if (t > 0) REQUIRE(batch.labels(3 * b + t) <= batch.labels(3 * b + t - 1));
      }
  CHECK(sum[0] / double(samples) == Approx(0.6).margin(0.02));
  CHECK(sum[1] > 0.25 * double(samples));  // of the half of those that see, more: the logits are correlated

  const data::PlantedTruth truth = data::planted_truth(comm::Communicator(MPI_COMM_SELF), settings.synthetic, 5, 5);
  const Index n = std::ssize(truth.labels) / 3;
  REQUIRE(n > 1000);
  std::array<double, 3> expected{}, seen{}, variance{};
  for (Index i = 0; i < 3 * n; ++i) {
    const double p = truth.probabilities[std::size_t(i)];
    if (i % 3 > 0) REQUIRE(p < truth.probabilities[std::size_t(i - 1)]);
    expected[i % 3] += p;
    variance[i % 3] += p * (1 - p);
    seen[i % 3] += truth.labels[std::size_t(i)];
  }
  for (const Index t : {0, 1, 2}) CHECK(std::abs(seen[t] - expected[t]) < 4 * std::sqrt(variance[t]));
}

TEST_CASE("PlantedModel: refuses keys of labels that do not fit") {
  const auto refusal = [](const std::function<void(data::SyntheticSettings&)>& change) {
    data::Settings settings = planted({"click", "buy"});
    change(settings.synthetic);
    return error_of([&] { data::make_source(settings, Use::train, {0, 1, Lanes(1), 100, true, 1}); });
  };
  CHECK(refusal([](auto&) {}).empty());
  CHECK(mentions(refusal([](auto& s) { s.labels.names = {"click"}; }), "data.synthetic.labels has one name"));
  CHECK(mentions(refusal([](auto& s) { s.labels.names = {"click", "click"}; }), "names must be unique"));
  CHECK(mentions(refusal([](auto& s) { s.labels.rates = {0.5}; }), "label_rates has 1 number for 2 labels"));
  CHECK(mentions(refusal([](auto& s) { s.labels.names = {}, s.labels.missing = 0.5; }),
                 "missing_labels applies only to"));
  CHECK(mentions(refusal([](auto& s) { s.labels = {.funnel = true}; }), "label_funnel applies only to"));
  CHECK(mentions(refusal([](auto& s) { s.kind = data::SyntheticKind::reference; }), "labels applies only to kind"));
}
