// SPDX-License-Identifier: Apache-2.0
/// Makers of the layer types, and checks of their inputs.
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
std::unique_ptr<Layer> make_mixture(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_joint(const LayerSettings& settings, const InputShapes& inputs);
std::unique_ptr<Layer> make_weighted_sum(const LayerSettings& settings, const InputShapes& inputs);

/// Returns the width of a layer's only input. `layer` is its name in errors ("a cross"). Throws Error unless there is
/// exactly one input.
Index one_width(const char* layer, const InputShapes& inputs);
/// Returns the common width of the inputs. `count`: 2 for exactly two inputs, 0 for one or more. Throws Error if the
/// number of inputs is wrong or their widths differ.
Index same_width(const char* layer, const InputShapes& inputs, std::size_t count);
/// Returns the sum of the inputs' widths. Throws Error if there are no inputs.
Index total_width(const char* layer, const InputShapes& inputs);

}  // namespace tesserec::layers
