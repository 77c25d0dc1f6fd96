// SPDX-License-Identifier: Apache-2.0
/// A model of TorchRec over several steps: loss, predictions, the first gradients, weights.
#pragma once

#include <iterator>
#include <sstream>

#include "dlrm.hpp"

namespace golden {

using namespace tesserec;
using embedding::ComputeKernel;

inline std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Returns the tables of "t0: f0 f4 (SUM); t1: f1 (MEAN)".
inline std::vector<embedding::EmbeddingBagConfig> tables(const store::File& file) {
  const auto rows = file.attribute<std::vector<std::int64_t>>("/", "rows");
  std::istringstream in(file.attribute<std::string>("/", "tables"));
  std::vector<embedding::EmbeddingBagConfig> result;
  for (std::string table; std::getline(in, table, ';');) {
    auto parts = words(table);
    REQUIRE(parts.size() >= 3);
    REQUIRE((parts.back() == "(SUM)" || parts.back() == "(MEAN)"));
    REQUIRE(result.size() < rows.size());
    result.push_back({parts[0].substr(0, parts[0].size() - 1),
                      rows[result.size()],
                      file.attribute<std::int64_t>("/", "dim"),
                      {parts.begin() + 1, parts.end() - 1},
                      parts.back() == "(SUM)" ? embedding::PoolingType::sum : embedding::PoolingType::mean,
                      false,
                      {}});
  }
  REQUIRE(result.size() == rows.size());
  if (file.has_attribute("/", "unpooled"))
    for (const std::string& feature : words(file.attribute<std::string>("/", "unpooled")))
      for (auto& table : result)
        if (std::count(table.feature_names.begin(), table.feature_names.end(), feature) > 0)
          table.unpooled.push_back(feature);
  return result;
}

/// The settings of a file's model, and a reader of its tensors.
struct Model {
  model::Settings settings;
  /// Returns a tensor of TorchRec below `group`, by our name and in our order of columns.
  std::function<std::vector<float>(const std::string& group, const std::string& ours)> read;
  std::string without_gradient = {};  ///< our name of a tensor whose gradient is nothing but rounding
};

inline void compare(const store::File& file, const Model& model, const std::string& group, const Tensors& got,
                    double tolerance) {
  REQUIRE(file.names(group).size() == got.size());
  for (const auto& [name, values] : got) {
    INFO(group << ": " << name);
    if (name == model.without_gradient && group.ends_with("/grad_step_1"))
      for (const float value : values) CHECK(std::abs(value) <= 1e-7);
    else
      CHECK(gap(values, model.read(group, name)) <= tolerance);
  }
}

inline optim::Settings optimizer(const store::File& file, const std::string& group) {
  const std::map<std::string, optim::Type> types = {{"torch.optim.SGD", optim::Type::sgd},
                                                    {"torch.optim.Adagrad", optim::Type::adagrad},
                                                    {"torch.optim.Adam", optim::Type::adam}};
  optim::Settings s;
  s.type = types.at(file.attribute<std::string>(group, "optimizer"));
  s.lr = file.attribute<double>(group, "lr");
  if (s.type != optim::Type::sgd) s.eps = file.attribute<double>(group, "eps");
  if (s.type == optim::Type::adam) {
    s.beta1 = file.attribute<double>(group, "beta1");
    s.beta2 = file.attribute<double>(group, "beta2");
  }
  return s;
}

inline void run_on(tesserec::Kernels kernels, const store::File& file, Model model, const std::string& group,
                   ComputeKernel kernel, int lanes) {
  INFO(group << ", kernel " << planning::name(kernel) << ", " << lanes << " lanes, "
             << (kernels == tesserec::Kernels::portable ? "portable" : "simd"));
  model.settings.kernels = kernels;
  const auto keys = words(file.attribute<std::string>("/", "keys"));
  const auto configs = tables(file);
  std::vector<std::string> pooled_order;
  for (const auto& table : configs)
    for (std::size_t f = 0; f < table.feature_names.size(); ++f)
      if (table.pools(f)) pooled_order.push_back(table.feature_names[f]);
  REQUIRE(pooled_order == words(file.attribute<std::string>("/", "pooled_order")));

  Dlrm dlrm(model.settings, file.attribute<std::int64_t>("/", "dense_features"), keys, configs, kernel,
            optimizer(file, group), lanes);
  dlrm.set([&](const std::string& name) { return model.read("weights_start", name); });

  const auto size = file.attribute<std::int64_t>("/", "batch");
  const auto steps = file.attribute<std::int64_t>(group, "steps");
  const bool sigmoid = file.exists(group + "/probabilities");  // the model ends in it
  const auto outputs = file.read_all<float>(group + (sigmoid ? "/probabilities" : "/logits"));
  REQUIRE(outputs.size() == static_cast<std::size_t>(steps * size));
  std::vector<double> losses;
  int weights_seen = 0;
  for (Index step = 1; step <= steps; ++step) {
    INFO("step " << step);
    const std::string input = "input/batch_" + std::to_string(step);
    const data::Batch batch = make_batch(
        keys, size, file.read_all<std::int64_t>(input + "/lengths"), file.read_all<std::int64_t>(input + "/ids"), {},
        file.read_all<float>(input + "/dense"), file.read_all<float>(input + "/labels"));
    std::vector<double> probabilities;
    for (Index i = (step - 1) * size; i < step * size; ++i)
      probabilities.push_back(sigmoid ? outputs[i] : 1.0 / (1.0 + std::exp(-outputs[i])));
    CHECK(gap(dlrm.predict(batch), probabilities) <= 5e-6);
    if (step == 1 && file.exists(group + "/grad_step_1"))
      compare(file, model, group + "/grad_step_1", dlrm.gradients(batch), 5e-6);
    tesserec::train::PipelinedBatch now{batch, {}};
    losses.push_back(dlrm.step(now, nullptr, step));
    const std::string after = group + "/weights_after_" + std::to_string(step);
    if (!file.exists(after)) continue;
    compare(file, model, after, dlrm.weights(), step == 1 ? 5e-6 : 1e-5);
    ++weights_seen;
  }
  int weights_given = 0;
  for (const std::string& name : file.names(group)) weights_given += name.rfind("weights_after_", 0) == 0;
  REQUIRE(weights_given >= 1);
  CHECK(weights_seen == weights_given);
  CHECK(gap(losses, file.read_all<double>(group + "/loss")) <= 5e-6);
}

/// Runs the steps with both kinds of kernels of the dense half.
inline void run(const store::File& file, const Model& model, const std::string& group, ComputeKernel kernel,
                int lanes) {
  for (const tesserec::Kernels kernels : {tesserec::Kernels::simd, tesserec::Kernels::portable})
    run_on(kernels, file, model, group, kernel, lanes);
}

}  // namespace golden
