// SPDX-License-Identifier: Apache-2.0
#pragma once

/// losses: the loss functions of a network's last layer, with their registry by name and a test of gradients.
/// A LossFunction turns a sample's output and label into a loss with its gradient by evaluate(), and an output into a
/// probability by predict(). A network makes its loss by make_loss() from the name in model.loss. A program adds types
/// of its own by add_loss_type(). A type is a factory, with the labels that it takes and with keys for [model] whose
/// names begin with loss_. Then check_gradient() compares evaluate() with the slopes of the loss. Types are added
/// before a deck is read, by the same calls on every rank; nothing here communicates. Threads call a loss's const
/// functions at once, for different chunks of samples, so a batch's state lies in its Workspace. Batches own nothing.
/// Error is thrown for a name that is taken or unknown, for a setting out of range, and for a wrong gradient. The page
/// docs/own_model.md writes a loss of two tasks, and src/losses/README.md has the formulas.
///
/// ```cpp
/// losses::add_loss_type(
///     {.name = "rare_clicks",
///      .text = "binary cross entropy in which a click weighs more.",
///      .make = [](const losses::LossSettings& s) {
///        return losses::make_loss("wbce", {.weights = {1.0, s.own<double>("loss_click")}});
///      },
///      .own = {{.name = "loss_click", .preset = 20.0, .sentence = "Weight of label 1."}}});
///
/// const auto loss = losses::make_loss("rare_clicks", {});
/// losses::check_gradient(*loss, /*width=*/1);  // throws Error if a gradient is wrong
/// const std::vector<float> logits{-1.5f, 2.0f};
/// std::vector<float> clicks(logits.size());
/// loss->predict({}, 2, {logits.data(), 1, 1}, clicks.data());  // probabilities
/// ```

#include <tesserec/losses/check_gradient.hpp>
#include <tesserec/losses/loss_settings.hpp>
#include <tesserec/losses/loss_types.hpp>
