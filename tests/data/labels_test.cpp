// SPDX-License-Identifier: Apache-2.0
// Check of labels and weights before the first batch, by all ranks together.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "samples_file.hpp"
#include "store/scratch.hpp"
#include <tesserec/comm/agree.hpp>

using namespace tesserec;
using data::Use;

namespace {

void float_labels(const std::string& path, const std::vector<float>& labels, bool weighted = false) {
  const Index n = std::ssize(labels);
  store::File file = store::File::create(path);
  samples_file::attributes(file, n, {"a"}, {2}, {});
  const std::vector<std::int32_t> ids(labels.size(), 1);
  file.write_all("/labels", {n}, weighted ? std::vector<float>(n, 1.0f).data() : labels.data());
  file.write_all("/sparse/ids", {n, 1}, ids.data());
  if (weighted) file.write_all("/weights", {n}, labels.data());
  file.close();
}

/// Returns the error of all ranks about the labels; each rank checks its share.
std::string complaint(const comm::Communicator& comm, const std::vector<std::string>& files,
                      const data::LabelRange& range = {}) {
  data::Settings settings;
  settings.train = files;
  const auto source = data::make_source(settings, Use::train, {comm.rank(), comm.size(), Lanes(4), 100, true, 1});
  return error_of([&] { comm::agree(comm, [&] { source->limit_labels(range); }); });
}

}  // namespace

TEST_CASE("limit_labels: names sample and file of the first label outside the range on any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string good = scratch / "good.h5", bad = scratch / "bad.h5";
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  const auto on_first = [&](const auto& write) {
    if (world.rank() == 0) write();
    world.barrier();
  };
  on_first([&] { float_labels(good, std::vector<float>(77, 0.25f)); });
  CHECK(complaint(world, {good}).empty());
  for (const auto& [label, text] : std::vector<std::pair<float, std::string>>{
           {5.0f, "5"}, {1.0001f, "1.0001"}, {-0.5f, "-0.5"}, {nan, "nan"}, {-nan, "nan"}, {infinity, "inf"}})
    for (const Index at : {0, 41, 99}) {
      std::vector<float> labels(100, 1.0f);
      labels[at] = label;
      labels[99] = label;  // a later label, which another rank may find
      on_first([&] { float_labels(bad, labels); });
      const std::string message = complaint(world, {good, bad});
      INFO(message);
      CHECK(mentions(message, text + " in sample " + std::to_string(at) + " of " + bad + " is outside [0, 1]"));
      world.barrier();
    }

  // The range of a loss that takes ratings.
  on_first([&] { float_labels(bad, {1.0f, 5.0f, 3.0f, 0.5f}); });
  CHECK(complaint(world, {bad}, {0.5f, 5.0f}).empty());
  CHECK(mentions(complaint(world, {bad}, {1.0f, 5.0f}), "label 0.5 in sample 3 of " + bad + " is outside [1, 5]"));
  world.barrier();

  on_first([&] {
    samples_file::packed(bad, 0, 30, [](store::File& file) {
      const std::uint8_t two = 2;
      file.write("/labels", {17, 1, 0, -1}, &two);
    });
  });
  CHECK(mentions(complaint(world, {bad}), "label 2 in sample 17 of " + bad + " is not 0 or 1"));
  world.barrier();

  on_first([&] { float_labels(bad, {1.0f, 1.0f, -2.0f, 1.0f}, true); });
  CHECK(mentions(complaint(world, {bad}), "weight -2 in sample 2 of " + bad + " is outside [0, 1"));
  world.barrier();
}
