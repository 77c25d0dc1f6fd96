// SPDX-License-Identifier: Apache-2.0
// Keys of [model]. layer_rows.cpp has the keys of [[model.layer]].
#include <tesserec/core/text.hpp>
#include <tesserec/losses/loss_types.hpp>
#include <tesserec/network/model_types.hpp>
#include <tesserec/schema/model_rows.hpp>
#include <tesserec/schema/own_rows.hpp>

namespace tesserec::schema {
namespace {

using losses::LossSettings;
using network::CrossSettings;
using network::SmallerTables;
using Model = network::Settings;

}  // namespace

Keys<Model> model_keys() {
  const auto type_of = [](const Model& model) -> auto& { return network::model_type(model.type); };
  const auto of_type = [=](const Key<Model>& key) { return of_kind(key, "model.type", type_of); };
  const auto of_cross = [&](const Key<CrossSettings>& key) { return of_type(inside(&Model::cross, key)); };
  const auto smaller = [](const Key<SmallerTables>& key) { return inside(&Model::smaller, key); };
  Choices<std::string> types;
  for (const network::ModelType& type : network::model_types()) types.emplace_back(type.name, type.name);
  const Choices<network::Interaction> interactions = {{"dot", network::Interaction::dot},
                                                      {"cat", network::Interaction::cat}};
  const Choices<embedding::QrOperation> operations = {{"add", embedding::QrOperation::add},
                                                      {"mult", embedding::QrOperation::mult},
                                                      {"concat", embedding::QrOperation::concat}};
  const Choices<network::Cross> crosses = {{"low_rank", network::Cross::low_rank},
                                           {"full", network::Cross::full},
                                           {"vector", network::Cross::vector},
                                           {"mixture", network::Cross::mixture}};
  const auto loss_of = [](const Model& model) -> auto& { return losses::loss_type(model.loss); };
  const auto of_loss = [=](const Key<LossSettings>& key) {
    return of_kind(inside(&Model::loss_settings, key), "model.loss", loss_of);
  };
  Choices<std::string> losses;
  for (const losses::LossType& type : losses::loss_types()) losses.emplace_back(type.name, type.name);
  Keys<Model> keys = {
      choice("type", &Model::type, types,
             join(network::model_types(), " ", [](const auto& type) { return type.name + ": " + type.text; })),
      default_words(texts("tasks", &Model::tasks, Text::name, {},
                          "Labels that the model learns, by the names that the data give them (docs/data.md). Each has "
                          "an output of its own, in this order: the last layer has so many neurons. Data with one "
                          "label need no name."),
                    "[] (the data's only label)"),
      default_words(
          inside(&Model::loss_settings,
                 numbers("task_weights", &LossSettings::task_weights, {.min_magnitude = 1e-30}, {}, "",
                         "Weight of each task's loss, in the order of tasks. The loss is the sum over the tasks of the "
                         "weight times the mean over the samples that have the label.")),
          "[] (1 each)"),
      integer("embedding_dim", &Model::embedding_dim, {1, 65536}, "columns",
              "Columns of embedding tables; table.NAME.dim overrides it."),
      choice(
          "table_format", &Model::table_format, number_types(),
          "Format of the weights of embedding tables, in memory and on disk; table.NAME.format overrides it. fp16 and "
          "bf16 take half of the bytes. Lookups widen them, sums and optimizer states are fp32, and each update "
          "rounds the new weight stochastically. fp16 has more digits, but becomes infinite beyond 65504, which "
          "ends the run. Checkpoints hold fp32 numbers in any format."),
      smaller(
          integer("qr_collisions", &SmallerTables::qr_collisions, {}, "ids",
                  "Ids per row of a quotient table (arXiv 1909.02107); 0 means off. Tables of more than "
                  "qr_threshold rows become NAME_quotient (row id / qr_collisions) and NAME_remainder (row id % "
                  "qr_collisions), pooled separately. Tables with unpooled features and growing tables stay whole.")),
      smaller(integer("qr_threshold", &SmallerTables::qr_threshold, {}, "rows",
                      "Largest number of rows of a table that stays whole.")),
      smaller(choice("qr_operation", &SmallerTables::qr_operation, operations,
                     "Operation that joins the pooled vectors of quotient and remainder. add: sum. mult: elementwise "
                     "product. concat: concatenation, each having half of the columns.")),
      smaller(
          number("md_temperature", &SmallerTables::md_temperature, {0.0, 1.0}, "",
                 "Exponent of mixed dimensions (arXiv 1909.11810); 0 means off. Tables of more than md_threshold rows "
                 "have embedding_dim * (rows of the smallest table / rows)^md_temperature columns, at least 1, and a "
                 "projection to embedding_dim. Tables with table.NAME.dim or unpooled features are exempt.")),
      smaller(integer("md_threshold", &SmallerTables::md_threshold, {}, "rows",
                      "Largest number of rows of a table that keeps embedding_dim columns.")),
      smaller(boolean("md_round_dims", &SmallerTables::md_round_dims, "Round mixed dimensions to powers of two.")),
      of_type(integers(
          "bottom", &Model::bottom, {1, 1 << 20}, {1}, "neurons",
          "Widths of the bottom MLP's layers. In dlrm with interaction = \"dot\", the last must be embedding_dim.")),
      of_type(integers("top", &Model::top, {1, 1 << 20}, {1}, "neurons",
                       "Widths of the top MLP's layers; the last must be 1, or the number of tasks.")),
      of_type(integers(
          "deep", &Model::deep, {1, 1 << 20}, {1}, "neurons",
          "Hidden widths of the MLP beside the factorization machine (deepfm) or the linear model (wide_deep).")),
      of_type(choice("interaction", &Model::interaction, interactions,
                     "Interaction of the vectors. dot: the bottom MLP's output, followed by the inner products of all "
                     "pairs of vectors. cat: concatenation of all vectors.")),
      of_type(boolean("itself", &Model::itself, "dot: include the inner product of each vector with itself.")),
      of_cross(choice("cross", &CrossSettings::type, crosses,
                      "Weights of the cross network. low_rank: matrices of rank cross_rank. full: full matrices. "
                      "vector: vectors. mixture: cross_experts experts of rank cross_rank.")),
      of_cross(integer("cross_layers", &CrossSettings::layers, {1, 1024}, "layers", "Layers of the cross network.")),
      of_cross(integer("cross_rank", &CrossSettings::rank, {1, 1 << 20}, "columns",
                       "low_rank, mixture: rank of each matrix.")),
      of_cross(
          integer("cross_experts", &CrossSettings::experts, {1, 1024}, "experts", "mixture: experts of each layer.")),
      of_type(integers("branch1", &Model::branch1, {1, 1 << 20}, {1}, "neurons",
                       "Widths of the MLP that makes the first matrix; the last must be a multiple of embedding_dim.")),
      of_type(
          integers("branch2", &Model::branch2, {1, 1 << 20}, {1}, "neurons",
                   "Widths of the MLP that makes the second matrix; the last must be a multiple of embedding_dim.")),
      of_type(texts("wide", &Model::wide, Text::filled, {1},
                    "Inputs of the linear model, written as inputs of [[model.layer]]. The MLP reads dense and the "
                    "remaining pooled vectors.")),
      of_type(texts("query", &Model::query, Text::filled, {1},
                    "Inputs of the query's tower, written as inputs of [[model.layer]].")),
      of_type(texts("item", &Model::item, Text::filled, {},
                    "two_tower: inputs of the item's tower. din: for each history, the item that it is compared with, "
                    "as pooled.FEATURE.")),
      of_type(texts("history", &Model::history, Text::filled, {},
                    "Sequences of a user's items, one for each entry of item, as unpooled.FEATURE.")),
      of_type(integers(
          "attention", &Model::attention, {1, 1 << 20}, {1}, "neurons",
          "Hidden widths of the MLP that scores the vectors of a history; a linear layer of one neuron follows.")),
      of_type(boolean("attention_softmax", &Model::attention_softmax,
                      "Apply a softmax to the scores of a history, so that a sample's weights sum to 1.")),
      of_type(integers("towers", &Model::towers, {1, 1 << 20}, {1}, "neurons", "Widths of the layers of each tower.")),
      of_type(choice("activation", &Model::activation, layers::activations(), "Activation of hidden layers.")),
      choice("precision", &Model::precision, products::precisions(),
             "Precision of the operands of matrix products in mlp, cross, mixture_cross and attention layers, forward "
             "and backward; sums, weights, gradients and all else are fp32. bf16: activations and weights are rounded, "
             "except in layers of one neuron; about twice as fast on processors with AVX512-BF16. tf32: a GPU's own "
             "rounding to 10 bits of mantissa. On GPUs bf16 and tf32 require run.kernels = \"cublaslt\"; tf32 requires "
             "it everywhere."),
      left_to_job<Model>("exchange_forward"),
      left_to_job<Model>("exchange_backward"),
      choice("loss", &Model::loss, losses,
             join(losses::loss_types(), " ", [](const auto& type) { return type.name + ": " + type.text; })),
      of_loss(number("loss_threshold", &LossSettings::threshold, {0.0, 0.5, true}, "",
                     "Clamps the probability to [t, 1 - t] in the loss; 0 means off.")),
      of_loss(numbers("loss_weights", &LossSettings::weights, {.min_magnitude = 1e-30}, {2, 2}, "",
                      "Weights of label 0 and label 1.")),
      of_loss(number("loss_temperature", &LossSettings::temperature, {1e-6, 1e30}, "",
                     "Temperature, by which scores are divided.")),
  };
  for (Key<Model>& key : own_rows<Model>(
           network::model_types(), "model.type", type_of, [](auto& model) -> auto& { return model.own_values; }))
    keys.push_back(std::move(key));
  for (Key<Model>& key : own_rows<Model>(
           losses::loss_types(), "model.loss", loss_of,
           [](auto& model) -> auto& { return model.loss_settings.own_values; }))
    keys.push_back(std::move(key));
  return keys;
}

}  // namespace tesserec::schema
