// SPDX-License-Identifier: Apache-2.0
// [model], [[table]]; [[model.layer]] is in schema_layer.cpp
#include "section.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/losses/loss_types.hpp>
#include <tesserec/network/model_types.hpp>

namespace tesserec::deck {
namespace {

using embedding::EmbeddingBagConfig;
using Model = model::Settings;
using losses::LossSettings;
using network::CrossSettings;
using network::SmallerTables;

/// A member of the network's settings as one of the model's, for the rows below.
template <class M>
constexpr M Model::*of_network(M network::Settings::*member) {
  return member;
}

Section model_section() {
  const auto of_type = [](Key<Model> key) {
    return of_kind(
        std::move(key), "model.type", [](const Model& model) -> auto& { return network::model_type(model.type); });
  };
  const auto of_cross = [&](const Key<CrossSettings>& key) { return of_type(inside(of_network(&Model::cross), key)); };
  const auto smaller = [](const Key<SmallerTables>& key) { return inside(of_network(&Model::smaller), key); };
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
  const auto of_loss = [](const Key<LossSettings>& key) {
    return of_kind(
        inside(of_network(&Model::loss_settings), key), "model.loss",
        [](const Model& model) -> auto& { return losses::loss_type(model.loss); });
  };
  Choices<std::string> losses;
  for (const losses::LossType& type : losses::loss_types()) losses.emplace_back(type.name, type.name);
  const Keys<Model> keys = {
      choice("type", of_network(&Model::type), types,
             join(network::model_types(), " ", [](const auto& type) { return type.name + ": " + type.text; })),
      integer("embedding_dim", of_network(&Model::embedding_dim), {1, 65536}, "columns", "Width of an embedding row."),
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
      of_type(integers("bottom", of_network(&Model::bottom), {1, 1 << 20}, {1}, "neurons",
                       "Widths of the bottom MLP after its input; with interaction dot the last is embedding_dim.")),
      of_type(integers("top", of_network(&Model::top), {1, 1 << 20}, {1}, "neurons",
                       "Widths of the top MLP after the interaction; the last is 1.")),
      of_type(integers("deep", of_network(&Model::deep), {1, 1 << 20}, {1}, "neurons",
                       "Widths of the MLP beside the factorization machine, or beside the linear part.")),
      of_type(choice("interaction", of_network(&Model::interaction), interactions,
                     "dot: inner products of all pairs of vectors, behind the bottom MLP's output; cat: all vectors "
                     "side by side.")),
      of_type(boolean("itself", of_network(&Model::itself), "dot: also each vector with itself.")),
      of_cross(choice("cross", &CrossSettings::type, crosses,
                      "The cross network's products: matrices of cross_rank, full ones, vectors, or a mixture of "
                      "cross_experts of cross_rank.")),
      of_cross(integer("cross_layers", &CrossSettings::layers, {1, 1024}, "layers", "Layers of the cross network.")),
      of_cross(
          integer("cross_rank", &CrossSettings::rank, {1, 1 << 20}, "columns", "low_rank, mixture: of each matrix.")),
      of_cross(integer("cross_experts", &CrossSettings::experts, {1, 1024}, "experts", "mixture: of each layer.")),
      of_type(integers("branch1", of_network(&Model::branch1), {1, 1 << 20}, {1}, "neurons",
                       "Widths of the MLP that gives the first matrix; the last is a multiple of embedding_dim.")),
      of_type(integers("branch2", of_network(&Model::branch2), {1, 1 << 20}, {1}, "neurons",
                       "Widths of the MLP that gives the second matrix; the last is a multiple of embedding_dim.")),
      of_type(texts("wide", of_network(&Model::wide), Text::filled, {1},
                    "What the linear part reads, as inputs of [[model.layer]]; the MLP reads dense and the rest.")),
      of_type(texts("query", of_network(&Model::query), Text::filled, {1},
                    "What the query's tower reads, as inputs of [[model.layer]].")),
      of_type(texts("item", of_network(&Model::item), Text::filled, {},
                    "What the item's tower reads; din: what each history is weighed by, as pooled.FEATURE.")),
      of_type(texts("history", of_network(&Model::history), Text::filled, {},
                    "Of each item a sequence, as unpooled.FEATURE.")),
      of_type(integers("attention", of_network(&Model::attention), {1, 1 << 20}, {1}, "neurons",
                       "Widths of the MLP that weighs a history's vectors; a last linear layer gives one number.")),
      of_type(boolean("attention_softmax", of_network(&Model::attention_softmax), "A sample's weights add to 1.")),
      of_type(integers("towers", of_network(&Model::towers), {1, 1 << 20}, {1}, "neurons", "Widths of each tower.")),
      of_type(choice("activation", of_network(&Model::activation), layers::activations(), "Behind hidden layers.")),
      choice("precision", of_network(&Model::precision), products::precisions(),
             "Of the numbers that the linear layers of mlp, cross, mixture_cross and attention multiply, forward and "
             "back; sums, weights, gradients and all else are fp32. With bf16 activations and weights are rounded for "
             "it, but in layers of one neuron; about twice as fast where the processor has AVX512-BF16. tf32 is a "
             "GPU's own rounding to 10 bits behind the point. On GPUs bf16 and tf32 want run.kernels = \"cublaslt\", "
             "tf32 everywhere."),
      choice("exchange_forward", &Model::exchange_forward, sharding::number_types(),
             "What the sums of bags, and vectors that are not pooled, are rounded to, once, before the dense half has "
             "them: so half the bytes travel between ranks, but for sums of a part of the rows and rows that travel "
             "themselves. The bits are no plan's."),
      choice("exchange_backward", &Model::exchange_backward, sharding::number_types(),
             "The same of their gradients, on the way back; fp16 has them times the samples of a step."),
      choice("loss", of_network(&Model::loss), losses,
             join(losses::loss_types(), " ", [](const auto& type) { return type.name + ": " + type.text; })),
      of_loss(number("loss_threshold", &LossSettings::threshold, {0.0, 0.5, true}, "",
                     "Clamps the probability to [t, 1 - t] in the loss; 0 means off.")),
      of_loss(numbers("loss_weights", &LossSettings::weights, {.least = 1e-30}, {2, 2}, "",
                      "Weights of label 0 and label 1.")),
      of_loss(number("loss_temperature", &LossSettings::temperature, {1e-6, 1e30}, "", "What scores are divided by.")),
  };
  return single("model", "The dense half of the model.", keys, [](auto& d) -> auto& { return d.model; }, {"layer"});
}

Keys<EmbeddingBagConfig> table_keys() {
  const Choices<embedding::PoolingType> poolings = {{"sum", embedding::PoolingType::sum},
                                                    {"mean", embedding::PoolingType::mean}};
  const Choices<embedding::RowStart> starts = {{"uniform", embedding::RowStart::uniform},
                                               {"one", embedding::RowStart::one}};
  return {
      required(text("name", &EmbeddingBagConfig::name, Text::name, "Name of the table.")),
      default_words(integer("rows", &EmbeddingBagConfig::num_embeddings, {}, "rows",
                            "Rows of the table; 0 means as many as the data set has ids."),
                    "0 (the data set's)"),
      default_words(integer("dim", &EmbeddingBagConfig::embedding_dim, {0, 65536}, "columns",
                            "Columns of the table; 0 means model.embedding_dim."),
                    "0 (model.embedding_dim)"),
      integer("projection", &EmbeddingBagConfig::projection, {0, 65536}, "columns",
              "A learned matrix without bias makes so many columns of the pooled vector; 0 means that there is none."),
      default_words(
          integer("qr_collisions", &EmbeddingBagConfig::qr_collisions, {}, "ids",
                  "The table is cut in two as model.qr_collisions says, whatever its rows; 0 means that it is not."),
          "model.qr_collisions"),
      choice("pooling", &EmbeddingBagConfig::pooling, poolings, "How the rows of a bag become one vector."),
      boolean("weighted", &EmbeddingBagConfig::weighted,
              "Multiply each row by the id's weight; the data must have weights for all of the table's features."),
      default_words(texts("features", &EmbeddingBagConfig::feature_names, Text::name, {1},
                          "Features that look their ids up in this table."),
                    "[NAME], the table's own name"),
      texts("unpooled", &EmbeddingBagConfig::unpooled, Text::name, {},
            "Those of the features that are not pooled: layers read one vector an id as unpooled.FEATURE."),
      choice("start", &EmbeddingBagConfig::start, starts,
             "Start values: uniform within the square root of 1 / rows, or 1, for weights that ids learn."),
  };
}

void read_table(Deck& deck, const Value& block, std::size_t i) {
  const Value* name = block.find("name");
  const bool named = name != nullptr && name->kind == Kind::text && !name->text.empty();
  const std::string path = "table." + (named ? name->text : std::to_string(i));
  EmbeddingBagConfig& table = deck.tables.emplace_back();
  read_keys(deck, table_keys(), table, block, path, {"optimizer"});
  if (table.feature_names.empty()) table.feature_names = {table.name};
  if (const Value* optimizer = block.find("optimizer")) {
    table.optimizer = deck.optimizer.sparse;
    read_keys(deck, sparse_optimizer_keys(), *table.optimizer, *optimizer, path + ".optimizer");
  }
}

Section table_section() {
  Section section;
  section.info = {
      "table", "[[table]]",
      "An embedding table. Without any [[table]]: one table a feature of the data. A table may have a block of its own "
      "`optimizer = {...}` with the keys of [optimizer.sparse]; keys left out are taken from there.",
      infos(table_keys())};
  section.read = [](Deck& deck, const Value& root) {
    const Value* blocks = repeated(
        root, "table", "a model has at least one table: give [[table]] blocks, or none for one table a feature");
    for (std::size_t i = 0; blocks != nullptr && i < blocks->list.size(); ++i) read_table(deck, blocks->list[i], i);
  };
  section.write = [](const Deck& deck, std::string& out) {
    for (const EmbeddingBagConfig& table : deck.tables) {
      out += "\n[[table]]\n" + write_keys(table_keys(), table);
      if (table.optimizer) out += "optimizer = " + inline_keys(sparse_optimizer_keys(), *table.optimizer) + "\n";
    }
  };
  return section;
}

}  // namespace

std::vector<Section> model_sections() {
  std::vector<Section> sections = {model_section(), layer_section()};
  for (Section& section : optimizer_sections()) sections.push_back(std::move(section));
  sections.push_back(table_section());  // after the optimizer: its optimizer starts from optimizer.sparse
  return sections;
}

}  // namespace tesserec::deck
