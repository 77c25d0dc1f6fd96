// SPDX-License-Identifier: Apache-2.0
// Cross layers against torchrec.modules.crossnet, forward and backward.
#include <cctype>
#include <functional>
#include <map>

#include "catch.hpp"
#include "golden.hpp"
#include "layer_alone.hpp"

using namespace tesserec;

namespace {

/// A function that returns their numbers of one of our tensors below `folder`.
using Theirs = std::function<std::vector<float>(const std::string& folder, const std::string& ours)>;

void check(const store::File& file, const std::string& group, layers::LayerSettings settings, const Theirs& theirs) {
  INFO(group);
  const auto features = file.attribute<std::int64_t>("/", "features");
  settings.layers = file.attribute<std::int64_t>("/", "layers");
  const test::LayerAlone shape(settings, {{{features}}});
  std::vector<float> parameters(shape.layer().size());
  for (const layers::Parameter& tensor : shape.layer().parameters()) {
    const auto numbers = theirs(group + "/weights/", tensor.name);
    REQUIRE(std::ssize(numbers) == tensor.rows * tensor.columns);
    std::copy(numbers.begin(), numbers.end(), parameters.begin() + tensor.offset);
  }
  test::LayerAlone layer(settings, {{{features}}}, parameters);
  const auto rows = file.attribute<std::int64_t>(group, "batch");
  const auto out = layer.forward(rows, {file.read_all<float>(group + "/input")});
  CHECK(golden::gap(out, file.read_all<float>(group + "/output")) <= 5e-6);
  const auto gradients = layer.backward(file.read_all<float>(group + "/upstream"));
  CHECK(golden::gap(gradients.inputs[0], file.read_all<float>(group + "/grad_input")) <= 5e-6);
  for (const layers::Parameter& tensor : shape.layer().parameters()) {
    INFO(tensor.name);
    const auto at = gradients.parameters.begin() + tensor.offset;
    CHECK(golden::gap(std::vector<float>(at, at + tensor.rows * tensor.columns),
                      theirs(group + "/grad/", tensor.name)) <= 5e-6);
  }
}

/// Returns a reader of tensors by `names`: our "LAYER.TENSOR" is their "TENSOR.LAYER".
Theirs renamed(const store::File& file, const std::map<std::string, std::string>& names) {
  return [&file, names](const std::string& folder, const std::string& ours) {
    const std::size_t dot = ours.find('.');
    return file.read_all<float>(folder + names.at(ours.substr(dot + 1)) + "." + ours.substr(0, dot));
  };
}

/// Returns a reader of experts' tensors. Ours are "LAYER.v2" for expert 2 and "gates" of all experts. Theirs are
/// V_kernels.LAYER of all experts and gates.2.weight.
Theirs of_experts(const store::File& file, Index experts) {
  return [&file, experts](const std::string& folder, const std::string& ours) {
    std::vector<float> numbers;
    if (ours == "gates") {
      for (Index e = 0; e < experts; ++e)
        for (const float number : file.read_all<float>(folder + "gates." + std::to_string(e) + ".weight"))
          numbers.push_back(number);
      return numbers;
    }
    const std::size_t dot = ours.find('.');
    const std::string layer = ours.substr(0, dot), tensor = ours.substr(dot + 1);
    if (tensor == "bias") return file.read_all<float>(folder + "bias." + layer);
    numbers = file.read_all<float>(folder + char(std::toupper(tensor[0])) + "_kernels." + layer);
    const std::size_t size = numbers.size() / experts, first = size * std::stoi(tensor.substr(1));
    return std::vector<float>(numbers.begin() + first, numbers.begin() + first + size);
  };
}

}  // namespace

TEST_CASE("cross and vector_cross: golden values and gradients of torchrec.modules.crossnet") {
  const store::File file = golden::open("crossnets.h5");
  const auto rank = file.attribute<std::int64_t>("/", "rank");
  check(file, "cross", {.type = "cross"}, renamed(file, {{"w", "kernels"}, {"bias", "bias"}}));
  check(file, "low_rank_cross", {.type = "cross", .rank = rank},
        renamed(file, {{"v", "V_kernels"}, {"w", "W_kernels"}, {"bias", "bias"}}));
  check(file, "vector_cross", {.type = "vector_cross"}, renamed(file, {{"w", "kernels"}, {"bias", "bias"}}));
}

TEST_CASE("mixture_cross: golden values and gradients of several experts and of one") {
  const store::File file = golden::open("crossnets.h5");
  const auto rank = file.attribute<std::int64_t>("/", "rank"), experts = file.attribute<std::int64_t>("/", "experts");
  check(file, "mixture_cross", {.type = "mixture_cross", .rank = rank, .experts = experts}, of_experts(file, experts));
  check(file, "mixture_cross_one_expert", {.type = "mixture_cross", .rank = rank}, of_experts(file, 1));
}
