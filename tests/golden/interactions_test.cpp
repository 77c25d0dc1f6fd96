// SPDX-License-Identifier: Apache-2.0
// Interactions against facebookresearch/dlrm's interact_features.
#include "catch.hpp"
#include "golden.hpp"
#include "layer_alone.hpp"

using namespace tesserec;

TEST_CASE("dot and cat: golden values and gradients of interact_features") {
  const store::File file = golden::open("interactions.h5");
  const auto batch = file.attribute<std::int64_t>("/", "batch");
  const auto dim = file.attribute<std::int64_t>("/", "dim");
  const auto features = file.attribute<std::int64_t>("/", "features");
  const auto dense = file.read_all<float>("input/dense"), embeddings = file.read_all<float>("input/embeddings");
  int seen = 0;
  for (const std::string& group : file.names("/")) {
    if (!file.has_attribute(group, "op")) continue;
    INFO(group);
    const bool itself = file.attribute<std::int64_t>(group, "itself") != 0;
    const auto op = file.attribute<std::string>(group, "op");
    REQUIRE((op == "dot" || op == "cat"));
    test::LayerAlone interaction({.type = op, .itself = itself}, {{{dim}}, {std::vector<Index>(features, dim)}});
    const auto upstream = file.read_all<float>(group + "/upstream");
    const std::vector<float> out = interaction.forward(batch, {dense, embeddings});
    REQUIRE(upstream.size() == out.size());
    const auto gradients = interaction.backward(upstream).inputs;
    CHECK(golden::gap(out, file.read_all<float>(group + "/output")) <= 2e-6);
    CHECK(golden::gap(gradients[0], file.read_all<float>(group + "/grad_dense")) <= 2e-6);
    CHECK(golden::gap(gradients[1], file.read_all<float>(group + "/grad_embeddings")) <= 2e-6);
    ++seen;
  }
  REQUIRE(seen == 3);
}
