// SPDX-License-Identifier: Apache-2.0
// Columns of one dataset in the order of another, by name, and the digest of the bytes of files.
#include "catch.hpp"
#include "errors.hpp"
#include "samples_file.hpp"
#include "store/scratch.hpp"

using namespace tesserec;

namespace {

std::unique_ptr<data::Source> source_of(const std::string& path) {
  data::Settings settings;
  settings.train = {path};
  return data::make_source(settings, data::Use::train, {0, 1, Lanes(2), 16, false, 1});
}

data::SourceInfo some_info() {
  data::SourceInfo info;
  info.description = "one.h5";
  info.features = {"a", "b"};
  info.rows = {10, 20};
  info.dense_features = 2;
  info.dense_names = {"x", "y"};
  info.transforms = {"none", "log1p"};
  info.labels = "1 is \"y\", 0 is \"n\"";
  info.vocabulary = "v";
  return info;
}

}  // namespace

TEST_CASE("in_order: gives columns in the wanted order with the same batches") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string one = scratch / "one.h5", two = scratch / "two.h5";
  samples_file::packed(one, 0, 50);
  samples_file::packed_turned(two, 0, 50);
  const auto wanted = source_of(one);
  wanted->seek(0, 1);
  const auto expected = samples_file::drain(*wanted);
  const auto turned = data::in_order(source_of(two), wanted->info());
  CHECK(turned->info().features == wanted->info().features);
  CHECK(turned->info().rows == wanted->info().rows);
  CHECK(turned->info().dense_names == wanted->info().dense_names);
  turned->seek(0, 1);
  CHECK(samples_file::drain(*turned) == expected);

  // limit_rows takes the wanted order too: "low" has ids up to 49, "high" only 0.
  turned->limit_rows({1000, 1});
  turned->seek(0, 0);
  CHECK(samples_file::drain(*turned).size() == 4);
  turned->limit_rows({10, 1});
  turned->seek(0, 0);
  CHECK(mentions(error_of([&] { samples_file::drain(*turned); }), "of feature low in sample 10"));
}

TEST_CASE("in_order: gives bags in the wanted order with their weights") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string one = scratch / "one.h5", two = scratch / "two.h5";
  samples_file::jagged(one, 0, 40);
  samples_file::jagged(two, 0, 40, [](store::File& file) {
    file.set_attribute("/", "features", std::vector<std::string>{"b", "a"});
  });
  const auto wanted = source_of(one);
  const auto turned = data::in_order(source_of(two), wanted->info());
  CHECK(turned->info().weighted == wanted->info().weighted);
  CHECK(turned->info().ids_per_bag == wanted->info().ids_per_bag);
  wanted->seek(0, 0);
  turned->seek(0, 0);
  CHECK(samples_file::drain(*turned) == samples_file::drain(*wanted));
}

TEST_CASE("column_order: names columns that do not fit and ignores facts that one dataset lacks") {
  const data::SourceInfo wanted = some_info();
  const auto refusal = [&](auto change) {
    data::SourceInfo other = wanted;
    other.description = "two.h5";
    change(other);
    return error_of([&] { data::column_order(other, wanted); });
  };
  CHECK(refusal([](auto&) {}) == "");
  CHECK(refusal([](auto& o) { std::swap(o.features[0], o.features[1]), o.rows = {1, 1}; }) == "");
  CHECK(
      refusal([](auto& o) {
        o.features = {"b", "c", "d"};
      }) ==
      "two.h5 does not fit one.h5: it lacks the feature \"a\"; it has the additional features \"c\", \"d\"; preprocess "
      "both with one deck");
  CHECK(mentions(refusal([](auto& o) { o.features = {"b", "b"}; }), "it has the additional feature \"b\""));
  CHECK(mentions(refusal([](auto& o) {
                   o.dense_names = {"x", "z"};
                 }),
                 "it lacks the dense feature \"y\"; it has the additional dense feature \"z\""));
  CHECK(mentions(refusal([](auto& o) { o.dense_features = 1, o.dense_names = {"y"}, o.transforms = {"log1p"}; }),
                 "it lacks the dense feature \"x\""));
  CHECK(mentions(refusal([](auto& o) { o.dense_features = 3, o.dense_names = {}; }), "it has 3 dense features, not 2"));
  CHECK(mentions(refusal([](auto& o) { o.transforms[1] = "none"; }),
                 "its dense feature \"y\" has the transform \"none\", not \"log1p\""));
  CHECK(mentions(refusal([](auto& o) { std::swap(o.dense_names[0], o.dense_names[1]); }),
                 "its dense feature \"x\" has the transform \"log1p\", not \"none\""));
  CHECK(mentions(
      refusal([](auto& o) { o.vocabulary = "w"; }),
      "its ids are of another vocabulary (vocabulary_digest w, not v); preprocess both with one deck, the later "
      "one with preprocess.vocabulary = the data set of the earlier one"));
  CHECK(mentions(refusal([](auto& o) { o.labels = "1 is \"n\", 0 is \"y\""; }),
                 "its label values differ (1 is \"n\", 0 is \"y\"; not: 1 is \"y\", 0 is \"n\")"));
  CHECK(refusal([](auto& o) { o.labels = ""; }) == "");
  CHECK(refusal([](auto& o) { o.vocabulary = "w", o.vocabulary_extends = {"u", "v"}; }) == "");
  CHECK(mentions(refusal([](auto& o) { o.vocabulary = "w", o.vocabulary_extends = {"u"}; }),
                 "its ids are of another vocabulary"));
  CHECK(refusal([](auto& o) { o.vocabulary = "", o.transforms = {}, o.dense_names = {}; }) == "");
}

TEST_CASE("content_digest: changes with any byte of sealed and unsealed files on any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Scratch scratch(world);
  const std::string path = scratch / "bytes.h5";
  std::string bytes(std::size_t{17} << 20, 'x');  // three pieces of a read
  const auto digest = [&](std::size_t at) {
    if (world.rank() == 0) {
      bytes[at] ^= 1;
      put_bytes(path, bytes);
      bytes[at] ^= 1;
    }
    world.barrier();
    const std::string all = data::content_digest(data::contents(world, {{path, ""}}));
    CHECK(data::content_digest(data::contents(self, {{path, ""}})) == all);
    world.barrier();
    return all;
  };
  const std::string first = digest(0);
  CHECK(digest(0) == first);
  for (const std::size_t at : {std::size_t{1}, (std::size_t{8} << 20) - 1, std::size_t{8} << 20, bytes.size() - 1})
    CHECK(digest(at) != first);

  const auto of = [&](std::vector<data::SourceFile> files) {
    return data::content_digest(data::contents(world, files));
  };
  CHECK(of({}) == "");
  CHECK(of({{"gone.h5", "512 0123456789abcdef"}}) != of({{"gone.h5", "512 0123456789abcdee"}}));  // seals count
  CHECK(of({{"a", "512 0"}, {"b", "512 1"}}) != of({{"a", "512 1"}, {"b", "512 0"}}));
  CHECK(mentions(error_of([&] { of({{scratch / "none.h5", ""}}); }), "none.h5"));
}
