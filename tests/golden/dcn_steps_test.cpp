// SPDX-License-Identifier: Apache-2.0
// dlrm_dcn against TorchRec's DLRM_DCN over several steps. The file orders vectors by its keys, the program by
// tables, so the columns of the cross network change places.
#include "steps.hpp"

using namespace tesserec;
using embedding::ComputeKernel;

namespace {

model::Settings settings(const store::File& file) {
  model::Settings s;
  s.type = "dlrm_dcn";
  s.embedding_dim = file.attribute<std::int64_t>("/", "dim");
  s.bottom = file.attribute<std::vector<std::int64_t>>("/", "bottom_mlp");
  s.top = file.attribute<std::vector<std::int64_t>>("/", "top_mlp");
  s.cross.layers = file.attribute<std::int64_t>("/", "dcn_layers");
  s.cross.rank = file.attribute<std::int64_t>("/", "dcn_rank");
  return s;
}

/// Returns TorchRec's name of a tensor.
std::string torchrec_name(const store::File& file, const std::string& ours) {
  std::string spaced = ours;
  std::replace(spaced.begin(), spaced.end(), '.', ' ');
  const auto part = golden::words(spaced);
  if (part[0] == "bottom") return "dense_arch.model._mlp." + part[1] + "._linear." + part[2];
  if (part[0] == "cross") {
    const std::map<std::string, std::string> theirs = {{"v", "V_kernels"}, {"w", "W_kernels"}, {"bias", "bias"}};
    return "inter_arch.crossnet." + theirs.at(part[2]) + "." + part[1];
  }
  if (part[0] != "top") return "sparse_arch.embedding_bag_collection.embedding_bags." + ours + ".weight";
  const auto top = file.attribute<std::vector<std::int64_t>>("/", "top_mlp");
  if (part[1] == std::to_string(top.size() - 1)) return "over_arch.model.1." + part[2];
  return "over_arch.model.0._mlp." + part[1] + "._linear." + part[2];
}

}  // namespace

TEST_CASE("dlrm_dcn: golden steps of TorchRec's DLRM_DCN with SGD") {
  const store::File file = golden::open("dcn_steps.h5");
  const golden::Model dcn{settings(file), [&](const std::string& group, const std::string& ours) {
                            return file.read_all<float>(group + "/" + torchrec_name(file, ours));
                          }};
  for (const int lanes : {1, 8})
    for (const ComputeKernel kernel : {ComputeKernel::fused, ComputeKernel::dense})
      golden::run(file, dcn, "sgd", kernel, lanes);
}
