// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/data.hpp>
#include <tesserec/preprocess/write_log.hpp>

using namespace tesserec;

namespace {

namespace fs = std::filesystem;

std::string bytes_of(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

/// Returns 70000 samples, three blocks, with bags of 0 to 3 ids.
data::Settings made_up() {
  data::Settings settings;
  auto& s = settings.synthetic;
  s.kind = data::SyntheticKind::planted;
  s.samples = 70000;
  s.rows = {100, 40};
  s.dense_features = 2;
  s.ids_per_bag = 3;
  s.variable_bags = true;
  return settings;
}

preprocess::LogSource log_source(const data::Settings& settings) {
  return {"train", [settings](const data::Deal& deal) { return data::make_source(settings, data::Use::train, deal); }};
}

std::vector<preprocess::WrittenLog> write_log(const comm::Communicator& comm, const std::string& folder,
                                              preprocess::LogForm form, const data::Settings& settings) {
  return preprocess::write_logs(Exec(), comm, {.folder = folder, .form = form, .seed = 5}, {log_source(settings)});
}

/// Returns whether two sources have equal samples.
bool same_samples(data::Source& first, data::Source& second) {
  data::Batch a{Exec()}, b{Exec()};
  first.seek(0, 0);
  second.seek(0, 0);
  while (first.next(a)) {
    if (!second.next(b) || a.size != b.size || a.sparse.total() != b.sparse.total()) return false;
    for (Index i = 0; i < a.size; ++i)
      if (a.labels(i) != b.labels(i) || a.dense(i, 0) != b.dense(i, 0) || a.dense(i, 1) != b.dense(i, 1)) return false;
    for (Index i = 0; i <= 2 * a.size; ++i)
      if (a.sparse.offsets(i) != b.sparse.offsets(i)) return false;
    for (Index i = 0; i < a.sparse.total(); ++i)
      if (a.sparse.values(i) != b.sparse.values(i)) return false;
  }
  return !second.next(b);
}

}  // namespace

TEST_CASE("write_logs: data sets have the samples of their source and the same bytes from any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  for (const Index bags : {1, 3}) {
    data::Settings settings = made_up();
    settings.synthetic.ids_per_bag = bags;
    settings.synthetic.variable_bags = bags > 1;
    const std::string shared = "written_by_all", own = concat("written_by_", world.rank());
    if (world.rank() == 0) fs::remove_all(shared);
    fs::remove_all(own);
    world.barrier();
    const auto logs = write_log(world, shared, preprocess::LogForm::hdf5, settings);
    REQUIRE(logs.size() == 1);
    CHECK(logs[0].samples == 70000);
    write_log(self, own, preprocess::LogForm::hdf5, settings);
    CHECK(bytes_of(shared + "/train.h5") == bytes_of(own + "/train.h5"));
    CHECK(std::distance(fs::directory_iterator(own), {}) == 1);

    data::Settings files;
    files.train = {own + "/train.h5"};
    const data::Deal deal{0, 1, Lanes(1), 4096, false, 5};
    const auto read = data::make_source(files, data::Use::train, deal);
    const auto made = data::make_source(settings, data::Use::train, deal);
    CHECK(read->info().rows == made->info().rows);
    CHECK(read->info().dense_names == made->info().dense_names);
    read->limit_rows(read->info().rows);
    CHECK(same_samples(*read, *made));
    world.barrier();
  }
}

TEST_CASE("write_logs: labels other than 0 and 1 and ids of 64 bits are kept") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const std::string own = concat("written_floats_", world.rank());
  fs::remove_all(own);
  data::Settings settings = made_up();
  settings.synthetic.kind = data::SyntheticKind::reference;
  settings.synthetic.hashed = true;
  write_log(self, own, preprocess::LogForm::hdf5, settings);
  data::Settings files;
  files.train = {own + "/train.h5"};
  const data::Deal deal{0, 1, Lanes(1), 4096, false, 5};
  const auto read = data::make_source(files, data::Use::train, deal);
  read->limit_rows(read->info().rows);
  CHECK(same_samples(*read, *data::make_source(settings, data::Use::train, deal)));
}

TEST_CASE("write_logs: what a form cannot hold is refused, and nothing stays") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const std::string folder = "written_refused";
  const auto error = [&](const auto& change) {
    data::Settings settings = made_up();
    settings.synthetic.rows.assign(26, 9);
    settings.synthetic.dense_features = 13;
    settings.synthetic.ids_per_bag = 1;
    settings.synthetic.variable_bags = false;
    change(settings.synthetic);
    return error_of([&] { write_log(world, folder, preprocess::LogForm::tsv, settings); });
  };
  using S = data::SyntheticSettings;
  CHECK(mentions(error([](S& s) { s.rows.pop_back(); }), "planted model has 25 features"));
  CHECK(mentions(error([](S& s) { s.dense_features = 12; }), "planted model has 12 dense features"));
  CHECK(mentions(error([](S& s) { s.hashed = true; }), "ids of more than 32 bits in feature C1"));
  CHECK(mentions(error([](S& s) { s.ids_per_bag = 2; }), "has 2 ids in sample 0 of feature C1"));
  CHECK(mentions(error([](S& s) { s.kind = data::SyntheticKind::reference; }), "in sample 0, not 0 or 1"));
  world.barrier();
  CHECK(!fs::exists(folder));
  CHECK(!fs::exists(folder + ".tmp"));
}
