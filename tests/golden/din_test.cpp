// SPDX-License-Identifier: Apache-2.0
// din against a deep interest network in PyTorch with two items and their histories, over several steps.
#include "steps.hpp"

using namespace tesserec;
using embedding::ComputeKernel;

TEST_CASE("din: golden steps of a PyTorch model with SGD with plain weights and with softmax") {
  const store::File file = golden::open_beside("din.h5");
  const auto widths = [&](const char* name) { return file.attribute<std::vector<std::int64_t>>("/", name); };
  golden::Model din;
  din.settings.type = "din";
  din.settings.embedding_dim = file.attribute<std::int64_t>("/", "dim");
  din.settings.attention = widths("attention");
  din.settings.top = widths("top");
  for (const std::string& item : golden::words(file.attribute<std::string>("/", "items")))
    din.settings.item.push_back("pooled." + item);
  for (const std::string& feature : golden::words(file.attribute<std::string>("/", "unpooled")))
    din.settings.history.push_back("unpooled." + feature);
  din.read = [&](const std::string& group, const std::string& ours) {
    return file.read_all<float>(group + "/" + ours);
  };
  for (const std::string weights : {"sum", "softmax"}) {
    din.settings.attention_softmax = weights == "softmax";
    for (const int lanes : {1, 8})
      for (const ComputeKernel kernel : {ComputeKernel::fused, ComputeKernel::dense})
        golden::run(file, din, weights, kernel, lanes);
  }
}
