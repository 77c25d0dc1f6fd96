// SPDX-License-Identifier: Apache-2.0
/// A network's loss on one batch, and its gradients against slopes of the loss.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/network.hpp>

namespace tesserec::test {

using layers::LayerSettings;
using network::DenseInput;
using network::EmbeddedFeature;
using network::EmbeddedFeatures;
using network::Network;
using network::Parameter;

inline network::Settings model_of(std::vector<LayerSettings> layers, const std::string& loss = "bce",
                                  Kernels kernels = Kernels::simd) {
  network::Settings settings;
  settings.kernels = kernels;
  settings.type = "network";
  settings.layers = std::move(layers);
  settings.loss = loss;
  settings.loss_settings.temperature = 0.7;
  return settings;
}

/// Returns pooled features and the un-pooled ones that a layer reads: as wide as an item, or one weight an id.
inline EmbeddedFeatures features_of(const std::vector<LayerSettings>& layers) {
  EmbeddedFeatures features{{{"user", 3}, {"item", 2}, {"shop", 2}}};
  for (const LayerSettings& layer : layers)
    for (const std::string& input : layer.inputs)
      if (input.starts_with("unpooled.history")) {
        const std::string name = input.substr(std::string("unpooled.").size());
        const auto known = [&](const EmbeddedFeature& other) { return other.name == name; };
        if (std::none_of(features.unpooled.begin(), features.unpooled.end(), known))
          features.unpooled.push_back({name, input.ends_with("@weights") ? 1 : 2});
      }
  return features;
}

/// A batch of 150 samples, more than a chunk, with losses and gradients.
struct Run {
  static constexpr Index samples = 150, dense_features = 4, pooled_width = 7;
  std::vector<float> dense, pooled, labels, weights, pooled_gradient;
  std::vector<jagged::JaggedVectors> unpooled, unpooled_gradient;
  Network network;
  Vector<float> parameters;
  LaneSums gradients;

  explicit Run(const std::vector<LayerSettings>& layers, const std::string& loss = "bce",
               const std::vector<EmbeddedFeature>& pooled_features = {}, Kernels kernels = Kernels::simd)
      : dense(samples * dense_features),
        pooled(samples * pooled_width),
        labels(samples),
        weights(samples),
        pooled_gradient(pooled.size(), 7.0f),
        network(model_of(layers, loss, kernels), dense_features,
                pooled_features.empty() ? features_of(layers) : EmbeddedFeatures{pooled_features}),
        parameters(make_vector<float>(Exec(), "tesserec::test::parameters", network.parameters())),
        gradients(Exec(), network.parameters()) {
    const Random random(3, Purpose::test);
    for (std::size_t i = 0; i < dense.size(); ++i) dense[i] = random.normal(i, 0);
    for (std::size_t i = 0; i < pooled.size(); ++i) pooled[i] = random.normal(i, 2);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = random.bits(i, 4) % 2;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.5f * float(i % 4);
    network.initialize(Exec(), 5, parameters);
    for (const EmbeddedFeature& feature : features_of(layers).unpooled) add_sequence(feature.dim);
  }

  /// Adds sequences of 0 to 6 vectors a sample, several blocks a chunk. The first samples have none.
  void add_sequence(Index dim) {
    const Random random(8, Purpose::test, dim), lengths(8, Purpose::test);
    const auto offsets = make_vector<Index>(Exec(), "tesserec::test::offsets", samples + 1);
    offsets(0) = 0;
    for (Index s = 0; s < samples; ++s) offsets(s + 1) = offsets(s) + (s < 3 ? 0 : Index(lengths.below(7, s, 0)));
    const auto values = make_matrix<float>(Exec(), "tesserec::test::vectors", offsets(samples), dim);
    const auto slopes = make_matrix<float>(Exec(), "tesserec::test::slopes", offsets(samples), dim);
    for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = random.normal(i, 1), slopes.data()[i] = 7.0f;
    unpooled.push_back({values, {}, offsets});
    unpooled_gradient.push_back({slopes, {}, offsets});
  }

  double loss() {
    const Lanes lanes(1);
    const DenseInput input{lanes,          {0, 1}, samples, dense.data(), pooled.data(), labels.data(),
                           weights.data(), 9,      4,       nullptr,      unpooled};
    return network.forward_backward(Exec(), parameters, input, pooled_gradient.data(), gradients, unpooled_gradient)
        .get()[0];
  }
  /// Returns the slope by central differences of two widths, whose error has the fifth derivative. The loss has 24
  /// bits a sample, hence the wide steps.
  double slope(float& at) {
    const float start = at;
    const std::vector<float> gradient = pooled_gradient;
    const auto difference = [&](float h) {
      at = start + h;
      const double above = loss(), up = at;
      at = start - h;
      return (above - loss()) / (up - at);
    };
    const double narrow = difference(1e-2f), wide = difference(2e-2f);
    at = start;
    pooled_gradient = gradient;
    return (4 * narrow - wide) / 3;
  }
};

/// Checks that gradients of all parameters and of some pooled vectors are slopes. Layers must have no corners near
/// the values.
inline void check_slopes(Run& run) {
  run.loss();
  const std::vector<float> gradient(run.gradients.sum(0).data(),
                                    run.gradients.sum(0).data() + run.network.parameters());
  const std::vector<float> pooled_gradient = run.pooled_gradient;
  for (const Parameter& tensor : run.network.layout())
    for (Index i = tensor.offset; i < tensor.offset + tensor.rows * tensor.columns; ++i) {
      INFO(tensor.name << " " << i - tensor.offset);
      REQUIRE(gradient[i] == Approx(run.slope(run.parameters(i))).epsilon(2e-3).margin(2e-5));
    }
  for (const Index sample : {0, 127, 128, 149})
    for (Index c = 0; c < Run::pooled_width; ++c) {
      INFO("sample " << sample << ", column " << c);
      REQUIRE(pooled_gradient[sample * Run::pooled_width + c] ==
              Approx(run.slope(run.pooled[sample * Run::pooled_width + c])).epsilon(2e-3).margin(2e-6));
    }
  for (std::size_t q = 0; q < run.unpooled.size(); ++q) {
    const Matrix<float>& slopes = run.unpooled_gradient[q].values;
    const std::vector<float> gradient_of(slopes.data(), slopes.data() + slopes.size());
    for (std::size_t i = 0; i < gradient_of.size(); i += 1 + i % 23) {
      INFO("sequence " << q << ", number " << i);
      REQUIRE(gradient_of[i] == Approx(run.slope(run.unpooled[q].values.data()[i])).epsilon(2e-3).margin(2e-6));
    }
  }
}

}  // namespace tesserec::test
