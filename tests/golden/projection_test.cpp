// SPDX-License-Identifier: Apache-2.0
// dlrm_projection against TorchRec's DLRM_Projection over several steps.
#include "steps.hpp"

using namespace tesserec;
using embedding::ComputeKernel;

namespace {

/// Returns TorchRec's name of a tensor. The last linear layer of its top has a name of its own.
std::string torchrec_name(const std::string& ours, std::size_t top) {
  const std::map<std::string, std::string> theirs = {{"bottom", "dense_arch.model._mlp."},
                                                     {"branch1", "inter_arch.interaction_branch1.model._mlp."},
                                                     {"branch2", "inter_arch.interaction_branch2.model._mlp."},
                                                     {"top", "over_arch.model.0._mlp."}};
  const std::size_t dot = ours.find('.'), second = ours.find('.', dot + 1);
  if (dot == std::string::npos) return "sparse_arch.embedding_bag_collection.embedding_bags." + ours + ".weight";
  const std::string layer = ours.substr(dot + 1, second - dot - 1), tensor = ours.substr(second);
  if (ours.substr(0, dot) == "top" && layer == std::to_string(top - 1)) return "over_arch.model.1" + tensor;
  return theirs.at(ours.substr(0, dot)) + layer + "._linear" + tensor;
}

}  // namespace

TEST_CASE("dlrm_projection: golden steps of TorchRec's DLRM_Projection with SGD") {
  const store::File file = golden::open("projection.h5");
  const auto widths = [&](const char* name) { return file.attribute<std::vector<std::int64_t>>("/", name); };
  golden::Model projection;
  projection.settings.type = "dlrm_projection";
  projection.settings.embedding_dim = file.attribute<std::int64_t>("/", "dim");
  projection.settings.bottom = widths("bottom_mlp");
  projection.settings.branch1 = widths("branch1");
  projection.settings.branch2 = {file.attribute<std::int64_t>("/", "branch2")};
  projection.settings.top = widths("top_mlp");
  projection.read = [&](const std::string& group, const std::string& ours) {
    return file.read_all<float>(group + "/" + torchrec_name(ours, projection.settings.top.size()));
  };
  for (const int lanes : {1, 8})
    for (const ComputeKernel kernel : {ComputeKernel::fused, ComputeKernel::dense})
      golden::run(file, projection, "sgd", kernel, lanes);
}
