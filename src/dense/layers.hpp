// SPDX-License-Identifier: Apache-2.0
/// Makers of layers and losses.
#pragma once

#include <tesserec/dense/layer_types.hpp>
#include <tesserec/dense/loss_types.hpp>

namespace tesserec::dense {

std::unique_ptr<Layer> make_mlp(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_dot(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_cat(const LayerSettings& settings, const std::vector<InputShape>& inputs);

std::unique_ptr<Layer> make_attention(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_cross(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_fm(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_mixture_cross(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_product(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_score(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_sum(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_multiply(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_layer_norm(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_dropout(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_vector_cross(const LayerSettings& settings, const std::vector<InputShape>& inputs);
std::unique_ptr<Layer> make_weighted_sum(const LayerSettings& settings, const std::vector<InputShape>& inputs);

std::unique_ptr<LossFunction> make_in_batch_softmax(const LossSettings& settings);

}  // namespace tesserec::dense
