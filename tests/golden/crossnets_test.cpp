// SPDX-License-Identifier: Apache-2.0
// torchrec.modules.crossnet, forward and backward.
#include "catch.hpp"
#include "golden.hpp"
#include "layer_alone.hpp"

using namespace tesserec;

namespace {

/// `names`: of our tensors -> theirs.
void check(const store::File& file, const std::string& group, dense::LayerSettings settings,
           const std::map<std::string, std::string>& names) {
  INFO(group);
  const auto features = file.attribute<std::int64_t>("/", "features");
  settings.layers = file.attribute<std::int64_t>("/", "layers");
  const auto theirs = [&](const std::string& folder, const dense::Parameter& ours) {
    const std::size_t dot = ours.name.find('.');
    return file.read_all<float>(group + "/" + folder + "/" + names.at(ours.name.substr(dot + 1)) + "." +
                                ours.name.substr(0, dot));
  };
  const test::LayerAlone shape(settings, {{{features}}});
  std::vector<float> parameters(shape.layer().size());
  for (const dense::Parameter& tensor : shape.layer().parameters()) {
    const auto numbers = theirs("weights", tensor);
    REQUIRE(std::ssize(numbers) == tensor.rows * tensor.columns);
    std::copy(numbers.begin(), numbers.end(), parameters.begin() + tensor.offset);
  }
  test::LayerAlone layer(settings, {{{features}}}, parameters);
  const auto rows = file.attribute<std::int64_t>(group, "batch");
  const auto out = layer.forward(rows, {file.read_all<float>(group + "/input")});
  CHECK(golden::gap(out, file.read_all<float>(group + "/output")) <= 5e-6);
  const auto gradients = layer.backward(file.read_all<float>(group + "/upstream"));
  CHECK(golden::gap(gradients.inputs[0], file.read_all<float>(group + "/grad_input")) <= 5e-6);
  for (const dense::Parameter& tensor : shape.layer().parameters()) {
    INFO(tensor.name);
    const auto at = gradients.parameters.begin() + tensor.offset;
    CHECK(golden::gap(std::vector<float>(at, at + tensor.rows * tensor.columns), theirs("grad", tensor)) <= 5e-6);
  }
}

}  // namespace

TEST_CASE("golden crossnets: full, of low rank, of vectors") {
  const store::File file = golden::open("crossnets.h5");
  const auto rank = file.attribute<std::int64_t>("/", "rank");
  check(file, "cross", {.type = "cross"}, {{"w", "kernels"}, {"bias", "bias"}});
  check(file, "low_rank_cross", {.type = "cross", .rank = rank},
        {{"v", "V_kernels"}, {"w", "W_kernels"}, {"bias", "bias"}});
  check(file, "vector_cross", {.type = "vector_cross"}, {{"w", "kernels"}, {"bias", "bias"}});
}
