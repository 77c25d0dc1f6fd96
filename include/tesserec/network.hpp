// SPDX-License-Identifier: Apache-2.0
#pragma once

/// network: the dense half of a model, a list of layers and a loss around the vectors that tables bring.
/// A model type makes the list from Settings; add_model_type() adds one, before a deck is read. A Network is made for
/// the dense features and the features of the tables. Its parameters lie in one flat vector of parameters() floats.
/// After initialize(), forward_backward() runs a rank's lanes and returns their losses as LaneLosses. It overwrites the
/// gradient of the pooled vectors, and leaves the parameters' gradient in LaneSums. The function predict() computes
/// the same bits without gradients. A network knows neither ranks nor plans; its calls wait for other processes only
/// after share_weights(). One thread at a time calls it, and the work runs on all threads of Kokkos. The buffers of
/// DenseInput must live until LaneLosses::get() returns. A setting that does not fit throws SettingError, an Error
/// with its key. The page docs/models.md has the model types, and src/network/README.md the order of additions.
///
/// ```cpp
/// const network::Settings settings{.embedding_dim = 8, .bottom = {32, 8}, .top = {32, 1}};  // a DLRM
/// const network::Network dense(settings, /*dense_features=*/13, std::vector<Index>{8, 8});  // reads 2 pooled features
/// const auto parameters = make_vector<float>(exec, "parameters", dense.parameters());
/// dense.initialize(exec, /*seed=*/7, parameters);
///
/// const std::vector<float> numbers(2 * 13, 0.5f), pooled(2 * 16, 0.1f), labels{0, 1};  // of 2 samples
/// const network::DenseInput batch{.my_lanes = {0, 1}, .global_size = 2, .dense = numbers.data(),
///                                 .pooled = pooled.data(), .labels = labels.data()};
/// std::vector<float> pooled_gradient(pooled.size());
/// LaneSums gradients(exec, dense.parameters());  // sum(0) will be the gradient of the parameters
/// const std::vector<double> lane_losses =
///     dense.forward_backward(exec, parameters, batch, pooled_gradient.data(), gradients).get();
/// ```

#include <tesserec/network/features.hpp>
#include <tesserec/network/lane_losses.hpp>
#include <tesserec/network/model_types.hpp>
#include <tesserec/network/network.hpp>
#include <tesserec/network/predictor.hpp>
#include <tesserec/network/settings.hpp>
#include <tesserec/network/smaller_tables.hpp>
