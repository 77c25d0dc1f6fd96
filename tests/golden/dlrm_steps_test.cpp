// SPDX-License-Identifier: Apache-2.0
// TorchRec's DLRM over several steps: loss, predictions, the first gradients, weights. TorchRec takes the
// upper triangle of the interaction by rows, the program the lower one: the columns of the first top layer
// change places.
#include <iterator>
#include <sstream>

#include "dlrm.hpp"

using namespace tesserec;
using embedding::ComputeKernel;

namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// "t0: f0 f4 (SUM); t1: f1 (MEAN)".
std::vector<embedding::EmbeddingBagConfig> tables(const store::File& file) {
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
  return result;
}

model::Settings settings(const store::File& file) {
  model::Settings s;
  s.embedding_dim = file.attribute<std::int64_t>("/", "dim");
  s.bottom = file.attribute<std::vector<std::int64_t>>("/", "bottom_mlp");
  s.top = file.attribute<std::vector<std::int64_t>>("/", "top_mlp");
  REQUIRE(file.attribute<std::string>("/", "interaction").rfind("dot; upper triangle by rows", 0) == 0);
  REQUIRE(file.attribute<std::string>("/", "loss") == "mean binary cross-entropy");
  return s;
}

/// TorchRec's name of a tensor.
std::string torchrec_name(const store::File& file, const std::string& ours) {
  const auto part = words([&] {
    std::string spaced = ours;
    std::replace(spaced.begin(), spaced.end(), '.', ' ');
    return spaced;
  }());
  if (part[0] == "bottom") return "dense_arch.model._mlp." + part[1] + "._linear." + part[2];
  if (part[0] != "top") return "sparse_arch.embedding_bag_collection.embedding_bags." + ours + ".weight";
  const auto top = file.attribute<std::vector<std::int64_t>>("/", "top_mlp");
  if (part[1] == std::to_string(top.size() - 1)) return "over_arch.model.1." + part[2];
  return "over_arch.model.0._mlp." + part[1] + "._linear." + part[2];
}

/// A tensor of TorchRec in our order of columns.
std::vector<float> read(const store::File& file, const std::string& group, const std::string& ours) {
  const auto theirs = file.read_all<float>(group + "/" + torchrec_name(file, ours));
  if (ours != "top.0.weight") return theirs;
  const auto dim = file.attribute<std::int64_t>("/", "dim");
  const auto vectors = 1 + static_cast<Index>(words(file.attribute<std::string>("/", "pooled_order")).size());
  std::vector<Index> columns;  // TorchRec's column of each of ours
  for (Index d = 0; d < dim; ++d) columns.push_back(d);
  for (Index i = 0; i < vectors; ++i)
    for (Index j = 0; j < i; ++j)  // in their row j, after the rows above it
      columns.push_back(dim + j * (2 * vectors - j - 1) / 2 + i - j - 1);
  REQUIRE(theirs.size() % columns.size() == 0);
  std::vector<float> result;
  for (std::size_t row = 0; row < theirs.size(); row += columns.size())
    for (const Index column : columns) result.push_back(theirs[row + column]);
  return result;
}

void compare(const store::File& file, const std::string& group, const golden::Tensors& got, double tolerance) {
  REQUIRE(file.names(group).size() == got.size());
  for (const auto& [name, values] : got) {
    INFO(group << ": " << name);
    CHECK(golden::gap(values, read(file, group, name)) <= tolerance);
  }
}

optim::Settings optimizer(const store::File& file, const std::string& group) {
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

void run(const store::File& file, const std::string& group, ComputeKernel kernel, int lanes) {
  INFO(group << ", kernel " << planning::name(kernel) << ", " << lanes << " lanes");
  const auto keys = words(file.attribute<std::string>("/", "keys"));
  const auto configs = tables(file);
  std::vector<std::string> pooled_order;
  for (const auto& table : configs)
    pooled_order.insert(pooled_order.end(), table.feature_names.begin(), table.feature_names.end());
  REQUIRE(pooled_order == words(file.attribute<std::string>("/", "pooled_order")));

  golden::Dlrm dlrm(settings(file), file.attribute<std::int64_t>("/", "dense_features"), keys, configs, kernel,
                    optimizer(file, group), lanes);
  dlrm.set([&](const std::string& name) { return read(file, "weights_start", name); });

  const auto size = file.attribute<std::int64_t>("/", "batch");
  const auto steps = file.attribute<std::int64_t>(group, "steps");
  const auto logits = file.read_all<float>(group + "/logits");
  REQUIRE(logits.size() == static_cast<std::size_t>(steps * size));
  std::vector<double> losses;
  int weights_seen = 0;
  for (Index step = 1; step <= steps; ++step) {
    INFO("step " << step);
    const std::string input = "input/batch_" + std::to_string(step);
    const data::Batch batch = golden::make_batch(
        keys, size, file.read_all<std::int64_t>(input + "/lengths"), file.read_all<std::int64_t>(input + "/ids"), {},
        file.read_all<float>(input + "/dense"), file.read_all<float>(input + "/labels"));
    std::vector<double> probabilities;
    for (Index i = 0; i < size; ++i) probabilities.push_back(1.0 / (1.0 + std::exp(-logits[(step - 1) * size + i])));
    CHECK(golden::gap(dlrm.predict(batch), probabilities) <= 5e-6);
    if (step == 1) compare(file, group + "/grad_step_1", dlrm.gradients(batch), 5e-6);
    tesserec::train::PipelinedBatch now{batch, {}};
    losses.push_back(dlrm.step(now, nullptr, step));
    const std::string after = group + "/weights_after_" + std::to_string(step);
    if (!file.exists(after)) continue;
    compare(file, after, dlrm.weights(), step == 1 ? 5e-6 : 1e-5);
    ++weights_seen;
  }
  int weights_given = 0;
  for (const std::string& name : file.names(group)) weights_given += name.rfind("weights_after_", 0) == 0;
  REQUIRE(weights_given >= 1);
  CHECK(weights_seen == weights_given);
  CHECK(golden::gap(losses, file.read_all<double>(group + "/loss")) <= 5e-6);
}

}  // namespace

TEST_CASE("golden dlrm_steps: TorchRec's DLRM with SGD, Adagrad and Adam") {
  const store::File file = golden::open("dlrm_steps.h5");
  for (const int lanes : {1, 8}) {
    run(file, "sgd", ComputeKernel::fused, lanes);
    run(file, "sgd", ComputeKernel::dense, lanes);
    run(file, "adagrad", ComputeKernel::fused,
        lanes);  // a row that is not looked up has gradient 0 and stays
    run(file, "adagrad", ComputeKernel::dense, lanes);
    run(file, "adam", ComputeKernel::dense, lanes);  // every row moves
  }
}
