// SPDX-License-Identifier: Apache-2.0
// DenseOptimizer against torch.optim over whole embedding tables: every row moves in every step.
#include "catch.hpp"
#include "golden.hpp"
#include <tesserec/optim.hpp>

using namespace tesserec;

namespace {

/// Returns the dense gradient of each table in one step: the sum over its features, samples and bags.
std::vector<std::vector<double>> table_gradients(const store::File& file, const std::string& step) {
  const auto batch = file.attribute<std::int64_t>("/", "batch");
  const auto rows = file.attribute<std::vector<std::int64_t>>("/", "rows");
  const auto dims = file.attribute<std::vector<std::int64_t>>("/", "dims");
  const auto table_of = file.attribute<std::vector<std::int64_t>>("/", "table_of_feature");
  const bool mean = file.attribute<std::string>("/", "pooling") == "mean";
  const bool weighted = file.attribute<std::int64_t>("/", "weighted") != 0;
  const auto lengths = file.read_all<std::int64_t>(step + "/lengths"), ids = file.read_all<std::int64_t>(step + "/ids");
  const auto upstream = file.read_all<float>(step + "/upstream");
  const auto weights = weighted ? file.read_all<float>(step + "/sample_weights") : std::vector<float>(ids.size(), 1.0f);
  Index width = 0;
  for (const auto table : table_of) width += dims[table];

  std::vector<std::vector<double>> gradients;
  for (std::size_t t = 0; t < rows.size(); ++t) gradients.emplace_back(rows[t] * dims[t], 0.0);
  std::size_t at = 0;
  Index first_column = 0;
  for (std::size_t f = 0; f < table_of.size(); ++f) {
    const Index table = table_of[f], dim = dims[table];
    for (Index b = 0; b < batch; ++b) {
      const Index length = lengths[f * batch + b];
      for (Index i = 0; i < length; ++i, ++at)
        for (Index d = 0; d < dim; ++d)
          gradients[table][ids[at] * dim + d] +=
              weights[at] * upstream[b * width + first_column + d] / (mean ? static_cast<double>(length) : 1.0);
    }
    first_column += dim;
  }
  return gradients;
}

void check(const store::File& file, const std::string& name, optim::Settings settings) {
  settings.lr = file.attribute<double>("/", "lr");
  golden::read(file, "eps", settings.eps);
  settings.beta1 = file.attribute<double>("/", "beta1");
  settings.beta2 = file.attribute<double>("/", "beta2");
  settings.momentum = file.attribute<double>("/", "momentum");
  const auto steps = file.attribute<std::int64_t>("/", "steps"), tables = file.attribute<std::int64_t>("/", "tables");
  for (Index t = 0; t < tables; ++t) {
    const std::string table = "table_" + std::to_string(t);
    const auto start = file.read_all<float>("input/" + table);
    const auto expected = file.read_all<float>("dense/" + name + "/" + table + "/weights");
    const auto size = static_cast<Index>(start.size());
    Vector<float> weights = make_vector<float>(Exec(), "tesserec::test::weights", size),
                  gradient = make_vector<float>(Exec(), "tesserec::test::gradient", size);
    std::copy(start.begin(), start.end(), weights.data());
    optim::DenseOptimizer optimizer(Exec(), settings, size);
    for (Index step = 1; step <= steps; ++step) {
      INFO(name << ", " << table << ", step " << step);
      const auto exact = table_gradients(file, "input/step_" + std::to_string(step))[t];
      for (Index i = 0; i < size; ++i) gradient(i) = static_cast<float>(exact[i]);
      optimizer.step(Exec(), weights, gradient, settings.lr, step, {0, size});
      const std::vector<float> want(expected.begin() + (step - 1) * size, expected.begin() + step * size);
      CHECK(golden::gap(std::vector<float>(weights.data(), weights.data() + size), want) <= 1e-5);
    }
  }
}

optim::Settings decayed(const store::File& file, optim::Type type, optim::Decay decay, bool on) {
  optim::Settings settings;
  settings.type = type;
  settings.decay = decay;
  settings.weight_decay = on ? file.attribute<double>("/", "weight_decay") : 0.0;
  return settings;
}

}  // namespace

TEST_CASE("DenseOptimizer: golden steps of torch.optim over whole tables") {
  for (const char* const name : {"optimizers_embedding.h5", "optimizers_embedding_mean.h5"}) {
    const store::File file = golden::open(name);
    REQUIRE(file.names("dense").size() == 8);
    check(file, "sgd", decayed(file, optim::Type::sgd, optim::Decay::l2, false));
    check(file, "sgd_l2", decayed(file, optim::Type::sgd, optim::Decay::l2, true));
    check(file, "sgd_momentum", decayed(file, optim::Type::momentum_sgd, optim::Decay::l2, false));
    check(file, "adagrad", decayed(file, optim::Type::adagrad, optim::Decay::l2, false));
    check(file, "adagrad_l2", decayed(file, optim::Type::adagrad, optim::Decay::l2, true));
    check(file, "adam", decayed(file, optim::Type::adam, optim::Decay::l2, false));
    check(file, "adam_l2", decayed(file, optim::Type::adam, optim::Decay::l2, true));
    check(file, "adamw", decayed(file, optim::Type::adam, optim::Decay::decoupled, true));
  }
}

TEST_CASE("DenseOptimizer: golden steps of torch's Nesterov SGD and of Lion over whole tables") {
  const store::File file = golden::open_beside("optimizers_further.h5");
  REQUIRE(file.names("dense").size() == 4);
  check(file, "nesterov_sgd", decayed(file, optim::Type::nesterov_sgd, optim::Decay::l2, false));
  check(file, "nesterov_sgd_l2", decayed(file, optim::Type::nesterov_sgd, optim::Decay::l2, true));
  check(file, "lion", decayed(file, optim::Type::lion, optim::Decay::l2, false));
  check(file, "lion_decoupled", decayed(file, optim::Type::lion, optim::Decay::decoupled, true));
}
