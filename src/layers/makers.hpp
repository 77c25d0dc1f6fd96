// SPDX-License-Identifier: Apache-2.0
/// Makers of the kinds of layers, and what they ask of their inputs.
#pragma once

#include <tesserec/layers/layer_types.hpp>

namespace tesserec::layers {

using InputShapes = std::vector<InputShape>;

std::unique_ptr<Layer> make_mlp(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_dot(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_cat(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_attention(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_cross(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_fm(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_mixture_cross(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_product(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_score(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_sum(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_multiply(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_gated(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_layer_norm(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_dropout(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_vector_cross(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_weighted_sum(const LayerSettings& settings, const InputShapes& inputs);

/// Returns the width of the one input that `layer`, "a cross", takes. Error: there are others, or none.
Index one_width(const char* layer, const InputShapes& inputs);
/// Returns the width that all inputs of `layer` have; it takes `count` of them, 0: any number. Error: they differ.
Index same_width(const char* layer, const InputShapes& inputs, std::size_t count);
/// Returns the sum of the inputs' widths. Error: `layer` has none.
Index total_width(const char* layer, const InputShapes& inputs);

}  // namespace tesserec::layers
