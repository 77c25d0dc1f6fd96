// SPDX-License-Identifier: Apache-2.0
#include "device_batch.hpp"
#include "device_lanes.hpp"
#include "pass.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/dense/device_loss.hpp>
#include <tesserec/dense/device_products.hpp>
#include <tesserec/dense/device_rows.hpp>
#include <tesserec/model/model_types.hpp>

namespace tesserec::model {
namespace {

using dense::Rows;

Rows<float> sequence(const jagged::JaggedVectors& all) {
  const auto dim = Index(all.values.extent(1));
  return {all.values.data(), dim, dim, all.offsets.data(), Index(all.values.extent(0))};
}

class DevicePass final : public Pass {
 public:
  DevicePass(const Graph& graph, const dense::LossFunction& loss, const Settings& settings)
      : graph_(graph),
        products_(dense::device_products(settings.kernels, settings.precision)),
        loss_(loss.on_device()),
        layers_(graph.nodes().size()),
        batch_(graph),
        graphs_(settings.graphs) {
    constexpr const char* instead = "; set run.kernels = \"simd\"";
    if (settings.precision != dense::Precision::fp32 && chosen(settings.kernels) == Kernels::portable)
      throw SettingError("precision", concat(" = \"", dense::name(settings.precision),
                                             "\": portable kernels multiply fp32 numbers; set run.kernels = \"",
                                             has_cublaslt ? "cublaslt" : "simd", "\", or fp32"));
    for (std::size_t n = 0; n < layers_.size(); ++n) {
      const dense::LayerSettings& layer = graph.layers()[n].settings;
      layers_[n].on_device = graph.nodes()[n].layer->on_device(*products_);
      if (layers_[n].on_device == nullptr)
        throw SettingError("layer." + layer.name,
                           concat(": layers of type ", layer.type, " have no portable kernels", instead));
    }
    if (loss_ == nullptr) throw SettingError("loss", concat(" ", settings.loss, " has no portable kernels", instead));
  }

  LaneLosses forward_backward(const Exec& exec, const PlacedVector<float>& flat, const DenseInput& given,
                              float* pooled_gradient, comm::LaneSums& gradients,
                              const std::vector<jagged::JaggedVectors>& unpooled_gradient) override {
    const Device device = device_of(exec);
    const auto first = lanes_.start(device, given.lanes, given.my_lanes, given.global_size);
    const DenseInput& input = batch_.send(device, given, lanes_.rows());
    const Training training{input,
                            batch_.parameters(device, flat),
                            {true, input.seed, 0, input.step, first},
                            given.probabilities != nullptr ? batch_.result(device, given.probabilities, 1) : nullptr,
                            lanes_.losses(device),
                            batch_.pooled_gradient(device, pooled_gradient),
                            batch_.unpooled_gradient(device, unpooled_gradient),
                            lanes_.gradients(device, graph_.size())};
    if (graphs_)
      repeated_(device, key_of(training), [&] { train(device, training); });
    else
      train(device, training);
    batch_.fetch(device);
    lanes_.add(device, gradients);
    return lanes_.lane_losses(device, input.global_size);
  }

  std::vector<double> predict(const Exec& exec, const PlacedVector<float>& flat, const DenseInput& given,
                              float* probabilities, float* towers) override {
    const Device device = device_of(exec);
    lanes_.start(device, given.lanes, given.my_lanes, given.global_size);
    const DenseInput& input = batch_.send(device, given, lanes_.rows());
    forward(device, batch_.parameters(device, flat), input, {});
    const dense::DeviceLoss::Batch batch = of_loss(input);
    loss_->predict(device, batch.rows, batch.out, batch_.result(device, probabilities, 1));
    if (towers != nullptr) {
      const Index width = layers_.back().inputs[0].width;
      float* const there = batch_.result(device, towers, 2 * width);
      for (Index side : {0, 1})
        dense::copy_on(device, batch.rows, layers_.back().inputs[side], {there + side * width, width, 2 * width});
    }
    batch_.fetch(device);
    if (input.labels == nullptr) {
      device.fence();
      return std::vector<double>(input.my_lanes.size());
    }
    loss_->evaluate(device, batch, lanes_.losses(device), gradient_of(layers_.size() - 1));
    lanes_.sum_losses(device);
    return lanes_.lane_losses(device, input.global_size).get();
  }

 private:
  /// Memory of a layer about a batch.
  struct Layer {
    std::unique_ptr<dense::DeviceLayer> on_device;
    DeviceVector<float> output, gradient;  // [rows, width]
    std::vector<Rows<const float>> inputs;
    std::vector<const Index*> host_offsets;
    std::vector<Rows<float>> input_gradients;
  };
  /// Buffers that a batch's training reads and writes, in device memory.
  struct Training {
    const DenseInput& input;
    const float* parameters;
    dense::Layer::Draw draw;
    float* probabilities;  // or null
    double* losses;
    float* pooled_gradient;
    std::vector<jagged::JaggedVectors> unpooled_gradient;
    dense::LaneGradients lane_gradients;
  };

  void train(const Device& device, const Training& t) {
    forward(device, t.parameters, t.input, t.draw);
    const dense::DeviceLoss::Batch batch = of_loss(t.input);
    if (t.probabilities != nullptr) loss_->predict(device, batch.rows, batch.out, t.probabilities);
    loss_->evaluate(device, batch, t.losses, gradient_of(layers_.size() - 1));
    lanes_.sum_losses(device);
    backward(device, t.parameters, t.pooled_gradient, t.unpooled_gradient, t.lane_gradients);
  }
  /// All that decides its launches, but for storage that this pass has made itself.
  LaunchKey key_of(const Training& t) const {
    const DenseInput& in = t.input;
    LaunchKey key;
    key.add(lanes_.rows(), in.global_size, lanes_.chunks().rows, lanes_.chunks().of_lane);
    key.add(in.dense, in.pooled, in.labels, in.weights, t.parameters, t.probabilities, t.pooled_gradient);
    for (std::size_t q = 0; q < in.unpooled.size(); ++q) {
      key.add(in.unpooled[q].values.data(), in.unpooled[q].offsets.data(), t.unpooled_gradient[q].values.data());
      for (Index lane = 0; lane <= lanes_.chunks().lanes; ++lane)
        key.add(batch_.host_offsets(q)[lanes_.chunks().lane_rows[lane]]);
    }
    for (const Layer& layer : layers_)
      if (layer.on_device->draws()) key.add(t.draw.seed, t.draw.step, t.draw.first_sample);
    return key;
  }

  Index width_of(std::size_t n) const { return graph_.nodes()[n].layer->width(); }
  Rows<float> output_of(std::size_t n) const { return {layers_[n].output.data(), width_of(n), width_of(n)}; }
  Rows<float> gradient_of(std::size_t n) const { return {layers_[n].gradient.data(), width_of(n), width_of(n)}; }

  void forward(const Device& device, const float* parameters, const DenseInput& input, dense::Layer::Draw draw) {
    draw_ = draw;
    const Index rows = lanes_.rows();
    for (std::size_t n = 0; n < layers_.size(); ++n) {
      Layer& own = layers_[n];
      for (DeviceVector<float>* one : {&own.output, &own.gradient})
        reserve_device(device, *one, "tesserec::model::activations", rows * width_of(n));
      own.inputs.clear();
      own.host_offsets.clear();
      for (const Graph::Input& from : graph_.nodes()[n].inputs) {
        own.inputs.push_back(place(from, input));
        own.host_offsets.push_back(from.from == Graph::From::unpooled ? batch_.host_offsets(from.layer) : nullptr);
      }
      own.on_device->forward(device, batch(n, parameters), output_of(n));
    }
  }
  void backward(const Device& device, const float* parameters, float* pooled_gradient,
                const std::vector<jagged::JaggedVectors>& unpooled_gradient, dense::LaneGradients lane_gradients) {
    const Index rows = lanes_.rows(), stride = graph_.pooled_width();
    const auto place = [&](const Graph::Input& input) -> Rows<float> {
      if (input.from == Graph::From::unpooled) return sequence(unpooled_gradient[input.layer]);
      if (input.from == Graph::From::layer) return gradient_of(input.layer);
      return {pooled_gradient + input.columns.begin, input.columns.size(), stride};
    };
    for (const Range& columns : graph_.cleared())
      dense::clear_on(device, rows, {pooled_gradient + columns.begin, columns.size(), stride});
    for (std::size_t n = layers_.size(); n-- > 0;) {
      const Graph::Node& node = graph_.nodes()[n];
      Layer& own = layers_[n];
      own.input_gradients.clear();
      Index added = 0;  // floats
      for (const Graph::Input& input : node.inputs)
        if (input.gradient == Graph::Gradient::add) added += rows * input.columns.size();
      reserve_device(device, added_, "tesserec::model::activations", added);
      float* next = added_.data();
      for (const Graph::Input& input : node.inputs) {
        const Index width = input.columns.size();
        own.input_gradients.push_back({nullptr, width, width});
        if (input.gradient == Graph::Gradient::write) own.input_gradients.back() = place(input);
        if (input.gradient != Graph::Gradient::add) continue;
        own.input_gradients.back().data = next;
        next += rows * width;
      }
      own.on_device->backward(device, batch(n, parameters), output_of(n), gradient_of(n), own.input_gradients,
                              lane_gradients.from(node.parameters));
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i].gradient == Graph::Gradient::add)
          dense::add_on(device, rows, own.input_gradients[i], place(node.inputs[i]));
    }
  }

  dense::DeviceLayer::Batch batch(std::size_t n, const float* parameters) const {
    dense::Layer::Draw draw = draw_;
    draw.layer = Index(n);
    return {lanes_.rows(),
            lanes_.chunks(),
            layers_[n].inputs,
            layers_[n].host_offsets,
            parameters + graph_.nodes()[n].parameters,
            draw};
  }
  Rows<const float> place(const Graph::Input& from, const DenseInput& input) const {
    const Index width = from.columns.size();
    switch (from.from) {
      case Graph::From::dense:
        return {input.dense + from.columns.begin, width, graph_.dense_features()};
      case Graph::From::pooled:
        return {input.pooled + from.columns.begin, width, graph_.pooled_width()};
      case Graph::From::unpooled:
        return sequence(input.unpooled[from.layer]);
      default:
        return output_of(from.layer);
    }
  }
  dense::DeviceLoss::Batch of_loss(const DenseInput& input) const {
    return {lanes_.rows(), input.global_size, lanes_.chunks(), output_of(layers_.size() - 1),
            input.labels,  input.weights};
  }

  const Graph& graph_;
  std::unique_ptr<dense::DeviceProducts> products_;
  std::unique_ptr<dense::DeviceLoss> loss_;
  std::vector<Layer> layers_;
  DeviceLanes lanes_;
  DeviceBatch batch_;
  bool graphs_;
  RepeatedLaunches repeated_;
  dense::Layer::Draw draw_;
  DeviceVector<float> added_;  // gradients of inputs that another reader has written, of one layer
};

}  // namespace

std::unique_ptr<Pass> device_pass(const Graph& graph, const dense::LossFunction& loss, const Settings& settings) {
  return std::make_unique<DevicePass>(graph, loss, settings);
}

}  // namespace tesserec::model
