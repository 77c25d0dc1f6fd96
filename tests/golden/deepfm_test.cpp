// SPDX-License-Identifier: Apache-2.0
// deepfm against TorchRec's SimpleDeepFMNN over several steps.
#include "steps.hpp"

using namespace tesserec;
using embedding::ComputeKernel;

namespace {

/// Returns TorchRec's name of a tensor. Linear layers and relus of a module are numbered together.
std::string torchrec_name(const std::string& ours) {
  const std::map<std::string, std::string> theirs = {{"bottom.0", "dense_arch.model.0"},
                                                     {"bottom.1", "dense_arch.model.2"},
                                                     {"deep.0", "inter_arch.deep_fm.dense_module.0"},
                                                     {"top.0", "over_arch.model.0"}};
  const std::size_t dot = ours.rfind('.');
  if (dot == std::string::npos) return "sparse_arch.embedding_bag_collection.embedding_bags." + ours + ".weight";
  return theirs.at(ours.substr(0, dot)) + ours.substr(dot);
}

}  // namespace

TEST_CASE("deepfm: golden steps of TorchRec's SimpleDeepFMNN with SGD") {
  const store::File file = golden::open("deepfm.h5");
  golden::Model deepfm;
  deepfm.settings.type = "deepfm";
  deepfm.settings.embedding_dim = file.attribute<std::int64_t>("/", "dim");
  deepfm.settings.bottom = {file.attribute<std::int64_t>("/", "hidden"), deepfm.settings.embedding_dim};
  deepfm.settings.deep = {file.attribute<std::int64_t>("/", "deep_fm_dimension")};
  deepfm.settings.top = {1};
  deepfm.read = [&](const std::string& group, const std::string& ours) {
    return file.read_all<float>(group + "/" + torchrec_name(ours));
  };
  for (const int lanes : {1, 8})
    for (const ComputeKernel kernel : {ComputeKernel::fused, ComputeKernel::dense})
      golden::run(file, deepfm, "sgd", kernel, lanes);
}
