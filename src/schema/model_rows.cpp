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
      integer("embedding_dim", &Model::embedding_dim, {1, 65536}, "columns", "Width of an embedding row."),
      smaller(integer(
          "qr_collisions", &SmallerTables::qr_collisions, {}, "ids",
          "Tables of more than qr_threshold rows are cut in two (arXiv 1909.02107), NAME_quotient and NAME_remainder: "
          "an id's rows are id / qr_collisions and id % qr_collisions, pooled apart. 0 means that none is.")),
      smaller(integer("qr_threshold", &SmallerTables::qr_threshold, {}, "rows",
                      "Tables of so many rows or fewer are not cut.")),
      smaller(choice("qr_operation", &SmallerTables::qr_operation, operations,
                     "How quotient and remainder become one vector; with concat each has half of the columns.")),
      smaller(number("md_temperature", &SmallerTables::md_temperature, {0.0, 1.0}, "",
                     "Tables of more than md_threshold rows have dimension embedding_dim * (rows of the smallest table "
                     "/ rows)^md_temperature, at least 1, and a projection to embedding_dim (arXiv 1909.11810); not "
                     "those with a table.NAME.dim. 0 means that all are alike.")),
      smaller(integer("md_threshold", &SmallerTables::md_threshold, {}, "rows",
                      "Tables of so many rows or fewer keep embedding_dim.")),
      smaller(boolean("md_round_dims", &SmallerTables::md_round_dims, "Dimensions are rounded to powers of two.")),
      of_type(integers("bottom", &Model::bottom, {1, 1 << 20}, {1}, "neurons",
                       "Widths of the bottom MLP after its input; with interaction dot the last is embedding_dim.")),
      of_type(integers("top", &Model::top, {1, 1 << 20}, {1}, "neurons",
                       "Widths of the top MLP after the interaction; the last is 1.")),
      of_type(integers("deep", &Model::deep, {1, 1 << 20}, {1}, "neurons",
                       "Widths of the MLP beside the factorization machine, or beside the linear part.")),
      of_type(choice("interaction", &Model::interaction, interactions,
                     "dot: inner products of all pairs of vectors, behind the bottom MLP's output; cat: all vectors "
                     "side by side.")),
      of_type(boolean("itself", &Model::itself, "dot: also each vector with itself.")),
      of_cross(choice("cross", &CrossSettings::type, crosses,
                      "The cross network's products: matrices of cross_rank, full ones, vectors, or a mixture of "
                      "cross_experts of cross_rank.")),
      of_cross(integer("cross_layers", &CrossSettings::layers, {1, 1024}, "layers", "Layers of the cross network.")),
      of_cross(
          integer("cross_rank", &CrossSettings::rank, {1, 1 << 20}, "columns", "low_rank, mixture: of each matrix.")),
      of_cross(integer("cross_experts", &CrossSettings::experts, {1, 1024}, "experts", "mixture: of each layer.")),
      of_type(integers("branch1", &Model::branch1, {1, 1 << 20}, {1}, "neurons",
                       "Widths of the MLP that gives the first matrix; the last is a multiple of embedding_dim.")),
      of_type(integers("branch2", &Model::branch2, {1, 1 << 20}, {1}, "neurons",
                       "Widths of the MLP that gives the second matrix; the last is a multiple of embedding_dim.")),
      of_type(texts("wide", &Model::wide, Text::filled, {1},
                    "What the linear part reads, as inputs of [[model.layer]]; the MLP reads dense and the rest.")),
      of_type(texts("query", &Model::query, Text::filled, {1},
                    "What the query's tower reads, as inputs of [[model.layer]].")),
      of_type(texts("item", &Model::item, Text::filled, {},
                    "What the item's tower reads; din: what each history is weighed by, as pooled.FEATURE.")),
      of_type(texts("history", &Model::history, Text::filled, {}, "Of each item a sequence, as unpooled.FEATURE.")),
      of_type(integers("attention", &Model::attention, {1, 1 << 20}, {1}, "neurons",
                       "Widths of the MLP that weighs a history's vectors; a last linear layer gives one number.")),
      of_type(boolean("attention_softmax", &Model::attention_softmax, "A sample's weights add to 1.")),
      of_type(integers("towers", &Model::towers, {1, 1 << 20}, {1}, "neurons", "Widths of each tower.")),
      of_type(choice("activation", &Model::activation, layers::activations(), "Behind hidden layers.")),
      choice("precision", &Model::precision, products::precisions(),
             "Of the numbers that the linear layers of mlp, cross, mixture_cross and attention multiply, forward and "
             "back; sums, weights, gradients and all else are fp32. With bf16 activations and weights are rounded for "
             "it, but in layers of one neuron; about twice as fast where the processor has AVX512-BF16. tf32 is a "
             "GPU's own rounding to 10 bits behind the point. On GPUs bf16 and tf32 want run.kernels = \"cublaslt\", "
             "tf32 everywhere."),
      left_to_job<Model>("exchange_forward"),
      left_to_job<Model>("exchange_backward"),
      choice("loss", &Model::loss, losses,
             join(losses::loss_types(), " ", [](const auto& type) { return type.name + ": " + type.text; })),
      of_loss(number("loss_threshold", &LossSettings::threshold, {0.0, 0.5, true}, "",
                     "Clamps the probability to [t, 1 - t] in the loss; 0 means off.")),
      of_loss(numbers("loss_weights", &LossSettings::weights, {.least = 1e-30}, {2, 2}, "",
                      "Weights of label 0 and label 1.")),
      of_loss(number("loss_temperature", &LossSettings::temperature, {1e-6, 1e30}, "", "What scores are divided by.")),
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
