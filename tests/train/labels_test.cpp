// SPDX-License-Identifier: Apache-2.0
// Labels outside the range of a loss or of the metrics: open_source() throws on all ranks.
#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/data/dataset.hpp>
#include <tesserec/losses/loss_types.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using data::Use;

TEST_CASE("open_source: throws if a label is outside the range of the loss or the metrics") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "labels");
  const auto write = [&](const std::string& name, const std::vector<float>& labels) {
    const std::string path = folder.path() + "/" + name;
    if (world.rank() == 0) {
      std::filesystem::create_directories(folder.path());
      const Index n = std::ssize(labels);
      store::File file = store::File::create(path);
      file.set_attribute("/", "format", std::string(data::dataset_format));
      file.set_attribute("/", "version", data::dataset_version);
      file.set_attribute("/", "samples", n);
      file.set_attribute("/", "features", std::vector<std::string>{"a"});
      file.set_attribute("/", "rows", std::vector<std::int64_t>{2});
      file.set_attribute("/", "dense_features", std::vector<std::string>{});
      file.write_all("/labels", {n}, labels.data());
      file.write_all("/sparse/ids", {n, 1}, std::vector<std::int32_t>(labels.size(), 1).data());
      file.close();
    }
    world.barrier();
    return path;
  };
  losses::add_loss_type({"ratings", "a loss of one's own.", {}, losses::loss_type("mse").make, {1.0f, 5.0f}});
  train::Job job = small_job(folder.path());
  job.data = {};
  job.data.train = {write("train.h5", {1, 0, 1, 0.5, 4, 5})};
  job.data.evaluate = {write("evaluate.h5", {1, 1, 1, 3, 1, 1})};
  const auto refusal = [&](Use use) { return error_of([&] { train::open_source(world, job, use); }); };
  for (const std::string loss : {"bce", "mse", "wbce", "in_batch_softmax"}) {
    job.model.loss = loss;
    CHECK(mentions(refusal(Use::train), "label 4 in sample 4 of " + job.data.train[0] + " is outside [0, 1]"));
    for (const Use use : {Use::evaluate, Use::predict})
      CHECK(mentions(refusal(use), "label 3 in sample 3 of " + job.data.evaluate[0] + " is outside [0, 1]"));
  }
  job.model.loss = "ratings";
  CHECK(mentions(refusal(Use::train), "label 0 in sample 1 of " + job.data.train[0] + " is outside [1, 5]"));
  CHECK(mentions(refusal(Use::evaluate), "is outside [1, 1]"));  // the range of the loss and of the metrics
  CHECK(refusal(Use::predict).empty());
}
