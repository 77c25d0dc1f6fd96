// SPDX-License-Identifier: Apache-2.0
/// A layer alone, on row-major numbers.
#pragma once

#include <vector>

#include <tesserec/layers/layer_types.hpp>
#include <tesserec/products/products.hpp>

namespace tesserec::test {

class LayerAlone {
 public:
  /// Makes the layer. `parameters`: [size()]; zeros if absent.
  LayerAlone(const layers::LayerSettings& settings, const std::vector<layers::InputShape>& inputs,
             std::vector<float> parameters = {})
      : layer_(make(settings, inputs)), parameters_(std::move(parameters)), packed_(layer_->packed_size()) {
    parameters_.resize(layer_->size());
    layer_->pack(Exec(), parameters_.data(), true, packed_.data(), {0, layer_->size() + 1});
  }

  const layers::Layer& layer() const { return *layer_; }
  layers::Layer::Draw draw;

  /// Returns the output [rows, width()] for inputs[i] [rows, width of input i].
  std::vector<float> forward(Index rows, std::vector<std::vector<float>> inputs) {
    rows_ = rows;
    piece_ = OnePiece(rows);
    inputs_ = std::move(inputs);
    views_.clear();
    for (const auto& input : inputs_)
      views_.push_back({{input.data(), std::ssize(input) / rows, std::ssize(input) / rows}});
    workspace_ = layer_->make_workspace();
    out_.assign(rows * layer_->width(), 7.0f);
    layer_->forward({}, batch(), view(out_));
    return out_;
  }

  struct Gradients {
    std::vector<std::vector<float>> inputs;
    std::vector<float> parameters;
  };
  /// Returns the gradients for the last forward().
  Gradients backward(std::vector<float> upstream) {
    Gradients gradients{inputs_, std::vector<float>(layer_->size())};
    std::vector<Rows<float>> to;
    for (auto& input : gradients.inputs) {
      std::fill(input.begin(), input.end(), 7.0f);
      to.push_back({input.data(), std::ssize(input) / rows_, std::ssize(input) / rows_});
    }
    layer_->backward({}, batch(), view(out_), view(upstream), to, {gradients.parameters.data(), layer_->size()});
    return gradients;
  }

 private:
  static std::unique_ptr<layers::Layer> make(layers::LayerSettings settings,
                                             const std::vector<layers::InputShape>& inputs) {
    settings.inputs.resize(inputs.size());
    return make_layer(settings, inputs);
  }
  layers::Layer::Batch batch() const {
    return {rows_,          piece_.pieces(), views_,           parameters_.data(),
            packed_.data(), products_.get(), workspace_.get(), draw};
  }
  Rows<float> view(std::vector<float>& numbers) const { return {numbers.data(), layer_->width(), layer_->width()}; }

  std::unique_ptr<layers::Layer> layer_;
  std::vector<float> parameters_, packed_, out_;
  std::unique_ptr<Workspace> workspace_;
  Index rows_ = 0;
  std::vector<std::vector<float>> inputs_;
  std::vector<layers::LayerInput> views_;
  OnePiece piece_{0};
  std::unique_ptr<products::Products> products_ = products::panel_products();
};

}  // namespace tesserec::test
