// SPDX-License-Identifier: Apache-2.0
// facebookresearch/dlrm's interact_features.
#include "catch.hpp"
#include "golden.hpp"
#include <tesserec/dense/interaction.hpp>

using namespace tesserec;

TEST_CASE("golden interactions: dot, dot with itself, cat") {
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
    const dense::FeatureInteraction interaction(op == "dot" ? dense::Interaction::dot : dense::Interaction::cat, itself,
                                                dim, std::vector<Index>(features, dim));
    const auto upstream = file.read_all<float>(group + "/upstream");
    std::vector<float> out(batch * interaction.width()), dense_gradient(dense.size()),
        embedding_gradient(embeddings.size()), scratch(interaction.scratch());
    REQUIRE(upstream.size() == out.size());
    interaction.forward(batch, dense.data(), embeddings.data(), out.data(), scratch.data());
    interaction.backward(batch, dense.data(), embeddings.data(), upstream.data(), dense_gradient.data(),
                         embedding_gradient.data(), scratch.data());
    CHECK(golden::gap(out, file.read_all<float>(group + "/output")) <= 2e-6);
    CHECK(golden::gap(dense_gradient, file.read_all<float>(group + "/grad_dense")) <= 2e-6);
    CHECK(golden::gap(embedding_gradient, file.read_all<float>(group + "/grad_embeddings")) <= 2e-6);
    ++seen;
  }
  REQUIRE(seen == 3);
}
