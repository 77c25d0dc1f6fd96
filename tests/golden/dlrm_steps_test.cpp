// SPDX-License-Identifier: Apache-2.0
// dlrm against TorchRec's DLRM over several steps: loss, predictions, the first gradients, weights. TorchRec takes
// the upper triangle of the interaction by rows, the program the lower one. The columns of the first top layer change
// places accordingly.
#include "steps.hpp"

using namespace tesserec;
using embedding::ComputeKernel;

namespace {

model::Settings settings(const store::File& file) {
  model::Settings s;
  s.embedding_dim = file.attribute<std::int64_t>("/", "dim");
  s.bottom = file.attribute<std::vector<std::int64_t>>("/", "bottom_mlp");
  s.top = file.attribute<std::vector<std::int64_t>>("/", "top_mlp");
  REQUIRE(file.attribute<std::string>("/", "interaction").rfind("dot; upper triangle by rows", 0) == 0);
  REQUIRE(file.attribute<std::string>("/", "loss") == "mean binary cross-entropy");
  return s;
}

/// Returns TorchRec's name of a tensor.
std::string torchrec_name(const store::File& file, const std::string& ours) {
  const auto part = golden::words([&] {
    std::string spaced = ours;
    std::replace(spaced.begin(), spaced.end(), '.', ' ');
    return spaced;
  }());
  if (part[0] == "bottom") return "dense_arch.model._mlp." + part[1] + "._linear." + part[2];
  if (part[0] != "top") return "sparse_arch.embedding_bag_collection.embedding_bags." + ours + ".weight";
  const auto top = file.attribute<std::vector<std::int64_t>>("/", "top_mlp");
  if (part[1] == std::to_string(top.size() - 1)) return "over_arch.model.1." + part[2];
  return "over_arch.model.0._mlp." + part[1] + "._linear." + part[2];
}

/// Returns a tensor of TorchRec in our order of columns.
std::vector<float> read(const store::File& file, const std::string& group, const std::string& ours) {
  const auto theirs = file.read_all<float>(group + "/" + torchrec_name(file, ours));
  if (ours != "top.0.weight") return theirs;
  const auto dim = file.attribute<std::int64_t>("/", "dim");
  const auto vectors = 1 + static_cast<Index>(golden::words(file.attribute<std::string>("/", "pooled_order")).size());
  std::vector<Index> columns;  // TorchRec's column of each of ours
  for (Index d = 0; d < dim; ++d) columns.push_back(d);
  for (Index i = 0; i < vectors; ++i)
    for (Index j = 0; j < i; ++j)  // in their row j, after the rows above it
      columns.push_back(dim + j * (2 * vectors - j - 1) / 2 + i - j - 1);
  REQUIRE(theirs.size() % columns.size() == 0);
  std::vector<float> result;
  for (std::size_t row = 0; row < theirs.size(); row += columns.size())
    for (const Index column : columns) result.push_back(theirs[row + column]);
  return result;
}

}  // namespace

TEST_CASE("dlrm: golden steps of TorchRec's DLRM with SGD and Adagrad and Adam") {
  const store::File file = golden::open("dlrm_steps.h5");
  const golden::Model dlrm{settings(file),
                           [&](const std::string& group, const std::string& ours) { return read(file, group, ours); }};
  for (const int lanes : {1, 8}) {
    golden::run(file, dlrm, "sgd", ComputeKernel::fused, lanes);
    golden::run(file, dlrm, "sgd", ComputeKernel::dense, lanes);
    golden::run(file, dlrm, "adagrad", ComputeKernel::fused,
                lanes);  // a row that is not looked up has gradient 0 and stays
    golden::run(file, dlrm, "adagrad", ComputeKernel::dense, lanes);
    golden::run(file, dlrm, "adam", ComputeKernel::dense, lanes);  // every row moves
  }
}
