// SPDX-License-Identifier: Apache-2.0
#pragma once

/// layers: the layers of a network with their registry by name, and a test of gradients.
/// A Layer maps numbers of each sample to numbers of each sample. A network makes its layers by make_layer() from
/// LayerSettings, and calls forward() and backward() on each. A program adds types of its own by add_layer_type(). A
/// type is a factory, with keys of its own for [[model.layer]]; it returns a class derived from Layer, or a built-in
/// layer as below. Then check_gradient() compares backward() with the slopes of forward(). Types are added before a
/// network is made or a deck is read, by the same calls on every rank; nothing here communicates. Threads call a
/// layer's const functions at once, for different chunks of samples, so a batch's state lies in its Workspace. Batches
/// own nothing. Error is thrown for a name that is taken or unknown, for settings that do not fit, and for a wrong
/// gradient. The page docs/own_model.md writes a layer with weights, and src/layers/README.md has the formulas.
///
/// ```cpp
/// layers::add_layer_type(
///     {.name = "tower", .text = "an MLP with gelu, whose hidden layer is as wide as the input.",
///      .make = [](const layers::LayerSettings& s, const std::vector<layers::InputShape>& inputs) {
///        layers::LayerSettings mlp{.type = "mlp", .precision = s.precision};
///        mlp.widths = {inputs.at(0).width(), s.own<Index>("outputs")};
///        mlp.activations = {layers::Activation::gelu};
///        return layers::make_layer(mlp, inputs);
///      },
///      .own = {{.name = "outputs", .preset = Index{1}, .least = 1, .sentence = "Numbers of the output."}}});
///
/// const std::vector<layers::InputShape> inputs{{.vectors = {13}}};
/// const auto layer = layers::make_layer({.name = "click", .type = "tower", .inputs = {"dense"}}, inputs);
/// layers::check_gradient(exec, *layer, inputs);  // throws Error if a gradient is wrong
/// ```

#include <tesserec/layers/activation.hpp>
#include <tesserec/layers/check_gradient.hpp>
#include <tesserec/layers/layer.hpp>
#include <tesserec/layers/layer_settings.hpp>
#include <tesserec/layers/layer_types.hpp>
#include <tesserec/layers/mlp.hpp>
