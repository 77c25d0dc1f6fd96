// SPDX-License-Identifier: Apache-2.0
// Quantiles of a vocabulary that other data use, and decks that do not fit.
#include <functional>
#include <vector>

#include "quantile_rows.hpp"

using namespace tesserec;
using namespace tesserec::preprocess;

TEST_CASE("preprocess: later files have the borders of the vocabulary, and other quantiles are refused") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::vector<std::string> values, others;
  for (Index i = 0; i < 4000; ++i) {
    values.push_back(std::to_string(i));
    others.push_back(std::to_string(10 * i));
  }
  folder.write("first.csv", rows_of(values));
  folder.write("later.csv", rows_of(others));
  const Settings first = numbered(4, folder / "first.csv", folder / "first");
  const PreprocessReport made = preprocess::run(world, first);
  CHECK(made.borders == std::vector<std::string>{"4: 1000 2000 3000"});

  Settings later = first;
  later.train = {folder / "later.csv"};
  later.vocabulary = folder / "first/train.h5";
  for (const bool extend : {false, true}) {
    later.output = folder / (extend ? "extended" : "later");
    later.extend = extend;
    CHECK(preprocess::run(world, later).borders == made.borders);
    CHECK(texts_of(later.output + "/train.h5", "borders") == made.borders);
  }
  Settings evaluated = first;
  evaluated.train.clear();
  evaluated.evaluate = {folder / "later.csv"};
  CHECK(preprocess::run(world, evaluated).borders == made.borders);

  later.columns[1].quantiles = 5;
  CHECK(mentions(error_of([&] { preprocess::run(world, later); }),
                 "preprocess.vocabulary: " + folder / "first/train.h5" +
                     ": preprocess.column n: quantiles is 5, but the data set has the borders \"4: 1000 2000 3000\" "
                     "for this column"));
  Settings plain = first;
  plain.columns[1].quantiles = 0;
  plain.columns[1].buckets = {1000, 2000, 3000};
  plain.output = folder / "plain";
  preprocess::run(world, plain);
  CHECK(texts_of(folder / "plain/train.h5", "features") == std::vector<std::string>{"n"});
  // The other way round: a vocabulary with quantiles, and a column without.
  plain.train = {folder / "later.csv"};
  plain.vocabulary = folder / "first/train.h5";
  plain.output = folder / "again";
  CHECK(mentions(error_of([&] { preprocess::run(world, plain); }),
                 "n has 4 quantiles there, but preprocess.column n has none; set quantiles = 4"));
  later.vocabulary = folder / "plain/train.h5";
  CHECK(mentions(error_of([&] { preprocess::run(world, later); }), "but the data set has no borders for this column"));
  if (world.rank() == 0) store::File::create(folder / "other.h5").close();
  world.barrier();
  later.vocabulary = folder / "other.h5";
  const std::string error = error_of([&] { preprocess::run(world, later); });
  CHECK(error == "preprocess.vocabulary: " + folder / "other.h5" +
                     " has no attribute format; give a training file that `tesserec preprocess` wrote");
}

TEST_CASE("preprocess: hashed buckets of other borders have another vocabulary digest") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::vector<std::string> digests;
  for (const Index scale : {1, 2, 1}) {
    std::vector<std::string> values;
    for (Index i = 0; i < 500; ++i) values.push_back(std::to_string(scale * i));
    Settings settings = numbered(5, folder.write("log.csv", rows_of(values)), folder / "out");
    settings.columns[1].ids = IdForm::hashed;
    settings.columns[1].max_rows = 50;
    CHECK(preprocess::run(world, settings).kinds == std::vector<std::string>{"hashed"});
    digests.push_back(store::File::open(folder / "out/train.h5").attribute<std::string>("/", "vocabulary_digest"));
    world.barrier();
  }
  CHECK(digests[0] == digests[2]);
  CHECK(digests[0] != digests[1]);
}

TEST_CASE("make_row_format: keys of quantiles must fit") {
  const auto refusal = [](const std::function<void(Column&)>& change) {
    Settings settings = numbered(4, "", "");
    change(settings.columns[1]);
    return error_of([&] { make_row_format(settings); });
  };
  CHECK(refusal([](Column&) {}) == "");
  CHECK(mentions(refusal([](Column& c) { c.buckets = {1}; }), "n: quantiles is set, but buckets gives the borders"));
  CHECK(mentions(refusal([](Column& c) { c.separator = "|"; }), "n: quantiles takes one number"));
  CHECK(mentions(refusal([](Column& c) { c.quantiles = 1; }), "n: quantiles is 1; give 2 to 1000"));
  CHECK(mentions(refusal([](Column& c) {
                   c.cross = {"a", "b"};
                 }),
                 "takes its value from other columns; remove it, or quantiles"));
  CHECK(mentions(refusal([](Column& c) { c.kind = ColumnKind::number; }), "n: quantiles applies only to categories"));
}
