// SPDX-License-Identifier: Apache-2.0
// two_tower against two towers in PyTorch over several steps: the cross-entropy of the dot product, and the softmax
// over the items of a run of samples. A lane of so few samples is one run.
#include "steps.hpp"

using namespace tesserec;
using embedding::ComputeKernel;

namespace {

/// Returns torch's name of a tensor. Linear layers and relus of a tower are numbered together.
std::string torch_name(const std::string& ours) {
  const auto dot = ours.find('.');
  if (dot == std::string::npos) return "tables." + ours + ".weight";
  const int layer = std::stoi(ours.substr(dot + 1));
  return ours.substr(0, dot) + "_tower." + std::to_string(2 * layer) + ours.substr(ours.rfind('.'));
}

}  // namespace

TEST_CASE("two_tower: golden steps with bce and with in_batch_softmax in a batch and in runs of it") {
  const store::File file = golden::open_beside("two_tower.h5");
  golden::Model two_tower;
  two_tower.settings.type = "two_tower";
  two_tower.settings.embedding_dim = file.attribute<std::int64_t>("/", "dim");
  two_tower.settings.towers = file.attribute<std::vector<std::int64_t>>("/", "towers");
  for (const std::string& feature : golden::words(file.attribute<std::string>("/", "item")))
    two_tower.settings.item.push_back("pooled." + feature);
  two_tower.read = [&](const std::string& group, const std::string& ours) {
    return file.read_all<float>(group + "/" + torch_name(ours));
  };
  for (const ComputeKernel kernel : {ComputeKernel::fused, ComputeKernel::dense}) {
    two_tower.settings.loss = "bce";
    two_tower.without_gradient = "";
    for (const int lanes : {1, 8}) golden::run(file, two_tower, "bce", kernel, lanes);
    two_tower.settings.loss = "in_batch_softmax";
    two_tower.without_gradient = "item.1.bias";  // moves the scores of a query all alike
    two_tower.settings.loss_settings.temperature = file.attribute<double>("/", "temperature");
    for (const std::string group : {"softmax", "softmax_4_runs"})
      golden::run(file, two_tower, group, kernel, int(file.attribute<std::int64_t>(group, "runs")));
  }
}
