// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <set>

#include "catch.hpp"
#include "samples_file.hpp"
#include "store/scratch.hpp"

using namespace tesserec;
using data::Use;

namespace {

/// Returns the error of reading the files to their end.
std::string complaint(const std::vector<std::string>& files, const std::vector<Index>& rows = {}) {
  data::Settings settings;
  settings.train = files;
  const data::Deal deal{0, 1, Lanes(2), 10, false, 1};
  return error_of([&] {
    const auto source = data::make_source(settings, Use::train, deal);
    if (!rows.empty()) source->limit_rows(rows);
    samples_file::drain(*source);
  });
}

template <class T>
auto poke(const std::string& name, Index row, Index column, T value) {
  return [=](store::File& file) { file.write(name, {row, 1, column, file.shape(name).size() == 2 ? 1 : -1}, &value); };
}

}  // namespace

TEST_CASE("make_source: throws with the name of a dataset file that breaks the format") {
  // Each rank writes and reads its own files.
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string good = scratch / "good.h5", bad = scratch / "bad.h5";
  samples_file::packed(good, 0, 30);
  REQUIRE(complaint({good}).empty());

  REQUIRE(mentions(complaint({scratch / "none.h5"}), "none.h5"));
  REQUIRE(mentions(complaint({scratch / "none_*.h5"}), "data.train: no file matches"));
  REQUIRE(mentions(complaint({good, good}), "twice"));
  put_bytes(bad, "label,1,2\n");
  REQUIRE(mentions(complaint({bad}), bad));

  const auto packed = [&](const std::function<void(store::File&)>& change) {
    samples_file::packed(bad, 0, 30, change);
    const std::string text = complaint({good, bad});
    REQUIRE(mentions(text, bad));
    return text;
  };
  REQUIRE(mentions(packed([](store::File& f) { f.set_attribute("/", "format", std::string("x")); }), "not a data set"));
  REQUIRE(mentions(packed([](store::File& f) { f.set_attribute("/", "version", std::int64_t{2}); }), "version 2"));
  REQUIRE(mentions(packed([](store::File& f) { f.set_attribute("/", "samples", std::int64_t{31}); }),
                   "[30], but the attributes require [31]"));
  REQUIRE(mentions(packed([](store::File& f) { f.set_attribute("/", "rows", std::vector<std::int64_t>{5}); }), "rows"));
  REQUIRE(mentions(packed([](store::File& f) {
                     f.set_attribute("/", "rows", std::vector<std::int64_t>{5, 0});
                   }),
                   "high"));
  const auto features = packed([](store::File& f) {
    f.set_attribute("/", "features", std::vector<std::string>{"low", "other"});
  });
  REQUIRE((mentions(features, good) && mentions(features, "low, other")));
  REQUIRE(
      mentions(packed([](store::File& f) { f.set_attribute("/", "vocabulary_digest", std::string("12ab")); }), "12ab"));
}

TEST_CASE("make_source: throws with sample and file for numbers that training cannot use") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string good = scratch / "0_good.h5", bad = scratch / "1_bad.h5";
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  samples_file::packed(good, 0, 33);
  const auto packed = [&](const std::function<void(store::File&)>& change) {
    samples_file::packed(bad, 0, 30, change);
    const std::string text = complaint({scratch / "*.h5"});
    REQUIRE(mentions(text, "sample 17 of " + bad));
    return text;
  };
  REQUIRE(mentions(packed(poke<std::int32_t>("/sparse/ids", 17, 1, 1000)), "id 1000 of feature high"));
  REQUIRE(mentions(packed(poke<std::int32_t>("/sparse/ids", 17, 0, -3)), "id -3 of feature low"));
  REQUIRE(mentions(packed(poke<std::uint8_t>("/labels", 17, 0, 2)), "label 2"));
  REQUIRE(mentions(packed(poke("/dense", 17, 1, nan)), "minus"));
  REQUIRE(mentions(packed(poke("/dense", 17, 0, infinity)), "plus is inf"));

  for (const float weight : {-1.0f, nan, 2e6f}) {
    samples_file::packed(bad, 0, 30, [&](store::File& f) {
      samples_file::add_weights(f);
      poke("/weights", 17, 0, weight)(f);
    });
    const std::string message = complaint({bad});
    REQUIRE(mentions(message, "in sample 17 of " + bad + " is outside [0, 1"));
    REQUIRE(mentions(message, "the range of sample weights"));
  }
  REQUIRE(mentions(complaint({good, bad}),
                   bad + ": the files of a data set must agree in weights of samples, but this file has \"yes\" and " +
                       good + " has \"no\""));

  // The model's tables decide. A larger table takes the id; a smaller one refuses an id that the file allows.
  samples_file::packed(bad, 0, 30, poke<std::int32_t>("/sparse/ids", 17, 1, 1000));
  REQUIRE(complaint({bad}, {1000, 1001}).empty());
  REQUIRE(mentions(complaint({good}, {32, 1000}), "id 32 of feature low in sample 32 of"));

  const auto jagged = [&](const std::function<void(store::File&)>& change) {
    samples_file::jagged(bad, 0, 30, change);
    return complaint({bad});
  };
  REQUIRE(jagged({}).empty());
  REQUIRE(mentions(jagged(poke<std::int64_t>("/sparse/a/values", 0, 0, -1)), "id -1 of feature a in sample 1 of"));
  REQUIRE(mentions(jagged(poke<std::int32_t>("/sparse/b/values", 7, 0, -5)), "id -5 of feature b in sample 7 of"));
  REQUIRE(mentions(jagged(poke("/sparse/a/weights", 0, 0, nan)), "feature a in sample 1 of"));
  REQUIRE(mentions(jagged(poke("/labels", 5, 0, infinity)), "label inf in sample 5 of"));
  REQUIRE(mentions(jagged(poke<std::int64_t>("/sparse/a/offsets", 4, 0, 1000)), "/sparse/a/offsets"));
  REQUIRE(mentions(jagged(poke<std::int64_t>("/sparse/b/offsets", 0, 0, -1)), "/sparse/b/offsets"));
  REQUIRE(mentions(jagged(poke<std::int64_t>("/sparse/b/offsets", 30, 0, 31)), "/sparse/b/offsets"));
}

TEST_CASE("make_source: ids of growing tables are any numbers, but packed ids may be clipped ones") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string file = scratch / "any.h5";
  const std::vector<Index> any(2, data::any_id);
  for (const Index id : {std::numeric_limits<Index>::min(), Index{-1}, std::numeric_limits<Index>::max()}) {
    samples_file::jagged(file, 0, 30, poke<std::int64_t>("/sparse/a/values", 0, 0, id));
    CHECK(complaint({file}, any).empty());
  }
  using Packed = std::numeric_limits<std::int32_t>;
  for (const std::int32_t id : {-1, Packed::max() - 1, Packed::min() + 1}) {
    samples_file::packed(file, 0, 30, poke<std::int32_t>("/sparse/ids", 17, 1, id));
    CHECK(complaint({file}, any).empty());
    CHECK(mentions(complaint({file}, {1000, 1000}), "of feature high in sample 17 of"));
    CHECK(mentions(complaint({file}, {data::any_id, 1000}), "of feature high in sample 17 of"));
  }
  for (const std::int32_t id : {Packed::min(), Packed::max()}) {
    samples_file::packed(file, 0, 30, poke<std::int32_t>("/sparse/ids", 17, 1, id));
    CHECK(mentions(complaint({file}, any), "store the ids as bags, in /sparse/high"));
  }
}

TEST_CASE("make_source: ids hashed to 64 bits are as many as before, and need tables that grow") {
  data::Settings settings;
  data::SyntheticSettings& synthetic = settings.synthetic;
  synthetic.kind = data::SyntheticKind::planted;
  synthetic.samples = 500;
  synthetic.rows = {90, 30};
  const data::Deal deal{0, 1, Lanes(2), 500, false, 1};
  const auto ids = [&](bool hashed) {
    synthetic.hashed = hashed;
    const auto source = data::make_source(settings, Use::train, deal);
    data::Batch batch{Exec()};
    CHECK(source->next(batch));
    return std::vector<Index>(batch.sparse.values.data(), batch.sparse.values.data() + 1000);
  };
  const std::vector<Index> plain = ids(false), hashed = ids(true);
  CHECK(std::set(hashed.begin(), hashed.begin() + 500).size() == std::set(plain.begin(), plain.begin() + 500).size());
  CHECK(std::ranges::count_if(hashed, [](Index id) { return id < 0; }) > 300);
  const auto source = data::make_source(settings, Use::train, deal);
  CHECK(source->info().rows == std::vector<Index>(2, data::any_id));
  CHECK(mentions(error_of([&] {
                   source->limit_rows({90, data::any_id});
                 }),
                 "feature C1 of planted model has ids of 64 bits, but its table has 90 rows and does not grow"));
}

TEST_CASE("make_source: throws with the keys if the deck has no data or two kinds of it") {
  const data::Deal deal{0, 1, Lanes(1), 10, false, 1};
  data::Settings settings;
  REQUIRE_FALSE(data::has_source(settings, Use::train));
  const std::string no_data = error_of([&] { data::make_source(settings, Use::train, deal); });
  REQUIRE((mentions(no_data, "data.train") && mentions(no_data, "data.synthetic.kind")));
  settings.train = {"x.h5"};
  REQUIRE(mentions(error_of([&] { data::make_source(settings, Use::evaluate, deal); }), "data.evaluate"));
  settings.synthetic.kind = data::SyntheticKind::planted;
  const std::string two_kinds = error_of([&] { data::make_source(settings, Use::train, deal); });
  REQUIRE((mentions(two_kinds, "data.train") && mentions(two_kinds, "data.synthetic.kind")));
  settings.train.clear();
  REQUIRE(mentions(error_of([&] { data::make_source(settings, Use::train, deal); }), "data.synthetic.rows"));
  settings.synthetic.rows = {10};
  REQUIRE(mentions(error_of([&] { data::make_source(settings, Use::train, deal); }), "data.synthetic.samples"));
  settings.synthetic.samples = 10;
  REQUIRE(data::has_source(settings, Use::train));
  REQUIRE_FALSE(data::has_source(settings, Use::evaluate));
  const auto source = data::make_source(settings, Use::train, deal);
  source->limit_rows({10});
  REQUIRE(mentions(error_of([&] { source->limit_rows({9}); }), "feature C1"));
}

TEST_CASE("Dataset: converts labels and numbers and ids of other types and names text as an error") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string usual = scratch / "usual.h5", wide = scratch / "wide.h5", bad = scratch / "bad.h5";
  samples_file::packed(usual, 0, 30);
  const auto write_wide = [](const std::string& path, const std::vector<double>& ids_as) {
    store::File file = store::File::create(path);
    samples_file::attributes(file, 30, {"low", "high"}, {1000, 1000}, {"plus", "minus"});
    std::vector<std::int64_t> labels, ids;
    std::vector<double> dense;
    for (Index i = 0; i < 30; ++i) {
      labels.push_back(i % 2);
      dense.insert(dense.end(), {double(i), -double(i)});
      ids.insert(ids.end(), {i % 1000, i / 1000});
    }
    file.write_all("/labels", {30}, labels.data());
    file.write_all("/dense", {30, 2}, dense.data());
    if (ids_as.empty()) file.write_all("/sparse/ids", {30, 2}, ids.data());
    if (!ids_as.empty()) file.write_all("/sparse/ids", {30, 2}, ids_as.data());
    file.close();
  };
  write_wide(wide, {});
  data::Samples samples[2];
  for (const int i : {0, 1}) {
    const data::Dataset set({i == 0 ? usual : wide}, "data.train");
    set.read({{0, 30}}, set.info().rows, samples[i]);
  }
  CHECK(samples[0].labels == samples[1].labels);
  CHECK(samples[0].dense == samples[1].dense);
  CHECK(samples[0].ids == samples[1].ids);
  write_wide(bad, std::vector<double>(60, 1.5));
  CHECK(mentions(complaint({bad}), "/sparse/ids holds 64-bit floats, not 32-bit integers or 64-bit integers or bytes"));
}
