// SPDX-License-Identifier: Apache-2.0
// Optimizers of tables against FBGEMM's row-sparse ones: touched rows move once a step, the others never.
#include "catch.hpp"
#include "tables.hpp"

using namespace tesserec;
using embedding::PoolingType;

namespace {

struct Variant {
  const char* name;
  optim::Type type;
  optim::Decay decay = optim::Decay::l2;
};

using optim::Type;
constexpr auto decoupled = optim::Decay::decoupled;
const Variant variants[] = {{"sgd", Type::sgd},
                            {"sgd_l2", Type::sgd},
                            {"sgd_decoupled", Type::sgd, decoupled},
                            {"adagrad", Type::adagrad},
                            {"adagrad_l2", Type::adagrad},
                            {"adagrad_decoupled", Type::adagrad, decoupled},
                            {"rowwise_adagrad", Type::rowwise_adagrad},
                            {"rowwise_adagrad_l2", Type::rowwise_adagrad},
                            {"rowwise_adagrad_decoupled", Type::rowwise_adagrad, decoupled},
                            {"rowwise_rmsprop_ar", Type::rowwise_rmsprop},
                            {"adam", Type::adam},
                            {"adam_decoupled", Type::adam, decoupled},
                            {"adam_rowwise_bias", Type::adam_rowwise_bias},
                            {"partial_rowwise_adam", Type::partial_rowwise_adam},
                            {"partial_rowwise_adam_decoupled", Type::partial_rowwise_adam, decoupled},
                            {"lamb", Type::lamb},
                            {"lamb_decay", Type::lamb, decoupled},
                            {"partial_rowwise_lamb", Type::partial_rowwise_lamb},
                            {"partial_rowwise_lamb_decay", Type::partial_rowwise_lamb, decoupled},
                            {"lars_sgd", Type::lars_sgd},
                            {"lars_sgd_decay", Type::lars_sgd}};
const Variant further[] = {{"nesterov_sgd", Type::nesterov_sgd},
                           {"nesterov_sgd_l2", Type::nesterov_sgd},
                           {"lion", Type::lion},
                           {"lion_decoupled", Type::lion, decoupled}};

/// Returns step `step` (from 1) of a dataset whose first axis is the step.
std::vector<float> of_step(const std::vector<float>& all, Index step, std::size_t size) {
  REQUIRE(all.size() >= step * size);
  return {all.begin() + (step - 1) * size, all.begin() + step * size};
}

template <class View>
std::vector<float> values(const View& view) {
  return {view.data(), view.data() + view.size()};
}

void check(const store::File& file, const Variant& variant, int lanes) {
  const std::string group = std::string("sparse/") + variant.name;
  const auto steps = file.attribute<std::int64_t>("/", "steps");
  const auto pooled = file.read_all<float>(group + "/pooled");
  optim::Settings settings;
  settings.type = variant.type;
  settings.decay = variant.decay;
  settings.lr = file.attribute<double>("/", "lr");
  golden::read(file, "eps", settings.eps);
  golden::read(file, "beta1", settings.beta1);
  golden::read(file, variant.type == Type::rowwise_rmsprop ? "ema_beta" : "beta2", settings.beta2);
  golden::read(file, "momentum", settings.momentum);
  golden::read(file, "eta", settings.eta);
  golden::read(file, "ar_alpha", settings.ar_alpha);
  golden::read(file, "min_shrinkage", settings.min_shrinkage);
  settings.weight_decay = file.attribute<double>(group, "weight_decay_used");
  golden::Tables tables(file,
                        file.attribute<std::string>("/", "pooling") == "mean" ? PoolingType::mean : PoolingType::sum,
                        file.attribute<std::int64_t>("/", "weighted") != 0, settings, lanes);
  for (Index step = 1; step <= steps; ++step) {
    INFO(variant.name << ", " << lanes << " lanes, step " << step);
    const std::string input = "input/step_" + std::to_string(step);
    const auto upstream = file.read_all<float>(input + "/upstream");
    CHECK(golden::gap(tables.lookup(input), of_step(pooled, step, upstream.size())) <= 1e-5);
    tables.send(upstream);
    tables.update(step);
    for (std::size_t t = 0; t < tables.count(); ++t) {
      const auto& table = tables.table(t);
      const std::string name = group + "/table_" + std::to_string(t);
      INFO(name);
      REQUIRE(file.names(name).size() == 2 + table.store().states().size());  // weights, weights_float64 and the states
      const auto compare = [&](const std::string& what, const std::vector<float>& got) {
        INFO(what);
        CHECK(golden::gap(got, of_step(file.read_all<float>(name + "/" + what), step, got.size())) <= 1e-5);
      };
      compare("weights", table.weights().to_host(Exec()));
      for (const auto& state : table.store().states()) compare(state.name, state.values.to_host(Exec()));
      if (step == steps)
        CHECK(golden::gap(table.weights().to_host(Exec()), file.read_all<double>(name + "/weights_float64")) <= 1e-5);
    }
  }
}

}  // namespace

TEST_CASE("EmbeddingTable: golden steps of FBGEMM's row-sparse optimizers") {
  for (const char* const name : {"optimizers_embedding.h5", "optimizers_embedding_mean.h5"}) {
    INFO(name);
    const store::File file = golden::open(name);
    REQUIRE(file.names("sparse").size() == std::size(variants));
    for (const Variant& variant : variants)
      for (const int lanes : {1, 8}) check(file, variant, lanes);
  }
}

TEST_CASE("EmbeddingTable: golden steps of torch's Nesterov SGD and of Lion") {
  const store::File file = golden::open_beside("optimizers_further.h5");
  REQUIRE(file.names("sparse").size() == std::size(further));
  for (const Variant& variant : further)
    for (const int lanes : {1, 8}) check(file, variant, lanes);
}
