// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "catch.hpp"
#include "loss_alone.hpp"
#include <tesserec/comm/tree_reduce.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/losses.hpp>
#include <tesserec/model.hpp>

using namespace tesserec;
using namespace tesserec::network;

namespace {

Settings small(Interaction interaction, bool itself, const std::string& loss, double threshold) {
  Settings s;
  s.embedding_dim = 4;
  s.bottom = {6, 4};
  s.top = {7, 5, 1};
  s.interaction = interaction;
  s.itself = itself;
  s.loss = loss;
  s.loss_settings.threshold = threshold;
  s.loss_settings.weights = {0.7, 2.5};
  return s;
}

/// A batch of random numbers with the samples of all ranks.
struct Numbers {
  std::vector<float> dense, pooled, labels;
  Numbers(Index n, Index dense_features, Index pooled_width)
      : dense(n * dense_features), pooled(n * pooled_width), labels(n) {
    const Random random(12, Purpose::test);
    for (std::size_t i = 0; i < dense.size(); ++i) dense[i] = random.normal(static_cast<Index>(i), 0);
    for (std::size_t i = 0; i < pooled.size(); ++i) pooled[i] = random.normal(static_cast<Index>(i), 2);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = random.bits(static_cast<Index>(i), 4) % 3 == 0;
  }
  DenseInput input(const Network& model, Lanes lanes, Range mine, Index dense_features) const {
    const auto n = static_cast<Index>(labels.size());
    const Index first = lanes.samples(static_cast<int>(mine.begin), n).begin;
    return {lanes,
            mine,
            n,
            dense.data() + first * dense_features,
            pooled.data() + first * model.pooled_width(),
            labels.data() + first};
  }
};

const std::map<std::string, losses::Loss> losses = {
    {"bce", losses::Loss::bce}, {"mse", losses::Loss::mse}, {"wbce", losses::Loss::wbce}};

/// Returns the mean loss of the model by its definition, in double.
double oracle(const Network& model, const std::vector<double>& parameters, const Numbers& batch,
              const std::vector<double>& pooled, const std::vector<Index>& dims) {
  const Settings& s = model.settings();
  const auto mlp = [&](const std::string& name, std::size_t layers, bool relu_at_end, std::vector<double> a) {
    for (std::size_t l = 0; l < layers; ++l)
      for (const Parameter& w : model.layout())
        if (w.name == name + "." + std::to_string(l) + ".weight") {
          const Parameter& b = *(&w + 1);
          std::vector<double> y(w.rows);
          for (Index o = 0; o < w.rows; ++o) {
            y[o] = parameters[b.offset + o];
            for (Index i = 0; i < w.columns; ++i) y[o] += a[i] * parameters[w.offset + o * w.columns + i];
            if (relu_at_end || l + 1 < layers) y[o] = std::max(y[o], 0.0);
          }
          a = y;
        }
    return a;
  };
  const auto n = static_cast<Index>(batch.labels.size());
  const Index features = model.dense_features();
  double sum = 0.0;
  for (Index r = 0; r < n; ++r) {
    std::vector<std::vector<double>> z{
        mlp("bottom", s.bottom.size(), true,
            std::vector<double>(batch.dense.begin() + r * features, batch.dense.begin() + (r + 1) * features))};
    auto at = pooled.begin() + r * model.pooled_width();
    for (const Index d : dims) z.emplace_back(at, at + d), at += d;
    std::vector<double> crossed = z[0];
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (s.interaction == Interaction::cat && i > 0) crossed.insert(crossed.end(), z[i].begin(), z[i].end());
      if (s.interaction == Interaction::dot)
        for (std::size_t j = 0; j < i + (s.itself ? 1 : 0); ++j) {
          crossed.push_back(0.0);
          for (std::size_t d = 0; d < z[i].size(); ++d) crossed.back() += z[i][d] * z[j][d];
        }
    }
    const double logit = mlp("top", s.top.size(), false, crossed)[0];
    sum += losses::loss_of_logit(
               {losses.at(s.loss), s.loss_settings.threshold, {s.loss_settings.weights[0], s.loss_settings.weights[1]}},
               logit, batch.labels[r])
               .value;
  }
  return sum / static_cast<double>(n);
}

void check_slopes(const Settings& settings, const std::vector<Index>& dims) {
  const Index n = 37, features = 3;
  const Network model(settings, features, dims);
  Vector<float> parameters = make_vector<float>(Exec(), "tesserec::test::parameters", model.parameters());
  model.initialize(Exec(), 3, parameters);
  const Numbers batch(n, features, model.pooled_width());
  LaneSums sums(Exec(), model.parameters());
  std::vector<float> pooled_gradient(batch.pooled.size(), 7.0f);
  const Lanes lanes(4);
  const std::vector<double> losses =
      model
          .forward_backward(Exec(), parameters, batch.input(model, lanes, {0, 4}, features), pooled_gradient.data(),
                            sums)
          .get();
  REQUIRE(sums.count() == 1);

  std::vector<double> p(parameters.data(), parameters.data() + model.parameters());
  std::vector<double> pooled(batch.pooled.begin(), batch.pooled.end());
  const auto loss = [&] { return oracle(model, p, batch, pooled, dims); };
  REQUIRE((losses[0] + losses[1]) + (losses[2] + losses[3]) == Approx(loss()).epsilon(1e-6));
  const auto slope = [&](double& at) {
    const double kept = at, h = 1e-6;
    at = kept + h;
    const double above = loss();
    at = kept - h;
    const double below = loss();
    at = kept;
    return (above - below) / (2 * h);
  };
  for (const Parameter& tensor : model.layout())
    for (Index i = tensor.offset; i < tensor.offset + tensor.rows * tensor.columns; ++i) {
      INFO(tensor.name << " " << i - tensor.offset);
      REQUIRE(sums.sum(0).host()(i) == Approx(slope(p[i])).epsilon(5e-5).margin(1e-6));
    }
  for (std::size_t i = 0; i < pooled.size(); ++i)
    REQUIRE(pooled_gradient[i] == Approx(slope(pooled[i])).epsilon(5e-5).margin(1e-6));
}

}  // namespace

TEST_CASE("Network: gradients of a DLRM are slopes for each interaction and loss") {
  check_slopes(small(Interaction::dot, false, "bce", 0.0), {4, 4, 4});
  check_slopes(small(Interaction::dot, true, "mse", 0.0), {4, 4});
  check_slopes(small(Interaction::cat, false, "wbce", 0.0), {3, 6});
  check_slopes(small(Interaction::cat, false, "bce", 0.45), {4});
  Settings wider = small(Interaction::cat, false, "bce", 0.0);
  wider.bottom = {6, 5};  // need not be embedding_dim
  check_slopes(wider, {4, 3});
}

TEST_CASE("Network: a lane of several chunks counts every sample once") {
  const Index n = 300, features = 3;
  const Network model(small(Interaction::dot, false, "bce", 0.0), features, std::vector<Index>{4, 4});
  Vector<float> parameters = make_vector<float>(Exec(), "tesserec::test::parameters", model.parameters());
  model.initialize(Exec(), 3, parameters);
  const Numbers batch(n, features, model.pooled_width());
  struct Result {
    double loss = 0, predicted_loss = 0;
    std::vector<float> gradient, pooled_gradient, probabilities;
  };
  const auto run = [&](int count) {
    Result r{0, 0, {}, std::vector<float>(batch.pooled.size(), 7.0f), std::vector<float>(n, 7.0f)};
    LaneSums sums(Exec(), model.parameters());
    const DenseInput input = batch.input(model, Lanes(count), {0, count}, features);
    for (const double loss : model.forward_backward(Exec(), parameters, input, r.pooled_gradient.data(), sums).get())
      r.loss += loss;
    for (const double loss : model.predict(Exec(), parameters, input, r.probabilities.data())) r.predicted_loss += loss;
    r.gradient.assign(sums.sum(0).data(), sums.sum(0).data() + model.parameters());
    return r;
  };
  const Result one = run(1), many = run(4);  // 128 + 128 + 44 samples, and 75 in each
  const std::vector<double> p(parameters.data(), parameters.data() + model.parameters());
  const std::vector<double> pooled(batch.pooled.begin(), batch.pooled.end());
  REQUIRE(one.loss == Approx(oracle(model, p, batch, pooled, {4, 4})).epsilon(1e-6));
  REQUIRE(one.predicted_loss == one.loss);
  REQUIRE(one.probabilities == many.probabilities);
  REQUIRE(one.pooled_gradient == many.pooled_gradient);
  for (Index i = 0; i < model.parameters(); ++i)
    REQUIRE(one.gradient[i] == Approx(many.gradient[i]).epsilon(1e-4).margin(1e-6));
}

TEST_CASE("Network: parameters of a DLRM have names and alignment and widths and flops") {
  Settings s;
  const Network model(s, 13, std::vector<Index>(26, 16));
  REQUIRE(describe_layers(model.layers()) ==
          "  bottom       mlp of dense: 13-512-256-64-16\n"
          "  interaction  dot of bottom, pooled: 27 vectors of 16, 367 wide\n"
          "  top          mlp of interaction: 367-512-256-1\n");
  REQUIRE(model.pooled_width() == 416);
  REQUIRE(model.layout().size() == 14);
  REQUIRE(model.layout()[0].name == "bottom.0.weight");
  REQUIRE(model.layout()[13].name == "top.2.bias");
  Vector<float> p = make_vector<float>(Exec(), "tesserec::test::parameters", model.parameters());
  model.initialize(Exec(), 1, p);
  Index end = 0;
  for (const Parameter& tensor : model.layout()) {
    REQUIRE(tensor.offset % 16 == 0);
    for (; end < tensor.offset; ++end) REQUIRE(p(end) == 0.0f);
    double square = 0.0;
    for (Index i = 0; i < tensor.rows * tensor.columns; ++i) square += std::pow(p(tensor.offset + i), 2);
    const auto out = static_cast<double>(tensor.rows), in = static_cast<double>(tensor.columns);
    const double variance = tensor.name.ends_with("weight") ? 2.0 / (in + out) : 1.0 / out;
    if (in * out >= 256) REQUIRE(square / (in * out) == Approx(variance).epsilon(0.3));
    end = tensor.offset + tensor.rows * tensor.columns;
  }
  REQUIRE(model.flops_per_sample() == Approx(2.867e6).epsilon(1e-3));
  // dense_work() counts numbers of 500 samples: pooled gradients once, inputs and outputs of three layers, and
  // vectors inside the two MLPs twice.
  constexpr double numbers = 416 + (13 + 2 * (512 + 256 + 64) + 16) + (27 * 16 + 367) + (367 + 2 * (512 + 256) + 1);
  REQUIRE(tesserec::model::dense_work(model, Lanes(8), 2, 2, 1000).vector_bytes == 4 * 500 * numbers);
}

TEST_CASE("Network: ranks and calls change no bit of loss and gradients and predictions") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Index features = 5;
  Settings settings = small(Interaction::dot, false, "bce", 0.0);
  settings.bottom = {33, 4};
  settings.top = {50, 1};
  const Network model(settings, features, std::vector<Index>{4, 4, 4});
  const comm::Node node(world, world.size());
  Network together(settings, features, std::vector<Index>{4, 4, 4});
  const comm::NodeMemory packed(world, together.packed_size());
  if (packed) together.share_weights({packed.data(), node.share(together.parameters()), [&] { world.barrier(); }});
  Vector<float> parameters = make_vector<float>(Exec(), "tesserec::test::parameters", model.parameters());
  model.initialize(Exec(), 3, parameters);
  for (const Index n : {5, 64, 701, 2300}) {
    const Lanes lanes(8);
    const Numbers batch(n, features, model.pooled_width());
    struct Result {
      std::vector<double> losses;
      std::vector<float> pooled_gradient, probabilities;
    };
    const auto run = [&](const Network& model, Range mine, LaneSums& sums) {
      const Index count =
          lanes.samples(static_cast<int>(mine.end - 1), n).end - lanes.samples(static_cast<int>(mine.begin), n).begin;
      Result result{{}, std::vector<float>(count * model.pooled_width()), std::vector<float>(count)};
      const DenseInput input = batch.input(model, lanes, mine, features);
      result.losses = model.forward_backward(Exec(), parameters, input, result.pooled_gradient.data(), sums).get();
      const std::vector<double> again = model.predict(Exec(), parameters, input, result.probabilities.data());
      REQUIRE(again == result.losses);
      return result;
    };
    const auto bits_of = [&](const PlacedVector<float>& v) {
      return std::vector<float>(v.data(), v.data() + model.parameters());
    };
    LaneSums whole(Exec(), model.parameters());
    const Result all = run(model, {0, 8}, whole);
    REQUIRE(whole.count() == 1);
    const std::vector<float> expected = bits_of(whole.sum(0));

    for (const std::vector<Index>& cuts :
         {std::vector<Index>{0, 4, 8}, {0, 1, 8}, {0, 2, 5, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}}) {
      LaneSums merged(Exec(), model.parameters());
      merged.start({0, 8});
      Result parts;
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        LaneSums part(Exec(), model.parameters());
        const Result result = run(model, {cuts[i], cuts[i + 1]}, part);
        merged.absorb(part);
        const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        append(parts.losses, result.losses);
        append(parts.pooled_gradient, result.pooled_gradient);
        append(parts.probabilities, result.probabilities);
      }
      merged.finish();
      REQUIRE(bits_of(merged.sum(0)) == expected);
      REQUIRE(parts.losses == all.losses);
      REQUIRE(parts.pooled_gradient == all.pooled_gradient);
      REQUIRE(parts.probabilities == all.probabilities);
    }

    comm::TreeReduce reduce(Exec(), world, lanes, model.parameters());
    for (const Network* each : std::initializer_list<const Network*>{&model, &together}) {
      const Result result = run(*each, lanes.of_rank(world.rank(), world.size()), reduce.lane_sums());
      REQUIRE(bits_of(reduce()) == expected);
      REQUIRE(comm::tree_reduce(world, lanes, result.losses) ==
              ((all.losses[0] + all.losses[1]) + (all.losses[2] + all.losses[3])) +
                  ((all.losses[4] + all.losses[5]) + (all.losses[6] + all.losses[7])));
    }
  }
}

TEST_CASE("Network: a second step with the same numbers gives the same bits") {
  const Network model(small(Interaction::dot, true, "bce", 0.0), 3, std::vector<Index>{4, 4});
  Vector<float> parameters = make_vector<float>(Exec(), "tesserec::test::parameters", model.parameters());
  model.initialize(Exec(), 3, parameters);
  const Numbers large(600, 3, model.pooled_width()), batch(100, 3, model.pooled_width());
  LaneSums sums(Exec(), model.parameters());
  std::vector<float> pooled_gradient(large.pooled.size());
  const auto step = [&](const Numbers& numbers) {
    model.forward_backward(Exec(), parameters, numbers.input(model, Lanes(2), {0, 2}, 3), pooled_gradient.data(), sums)
        .get();
    return std::vector<float>(sums.sum(0).data(), sums.sum(0).data() + model.parameters());
  };
  const std::vector<float> first = step(batch);
  step(large);  // leaves other numbers in every buffer
  REQUIRE(step(batch) == first);
}
