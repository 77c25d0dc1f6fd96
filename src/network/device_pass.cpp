// SPDX-License-Identifier: Apache-2.0
#include "device_batch.hpp"
#include "device_lanes.hpp"
#include "pass.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/network/model_types.hpp>

namespace tesserec::network {
namespace {

class DevicePass final : public Pass {
 public:
  DevicePass(const Graph& graph, const losses::LossFunction& loss, const Settings& settings)
      : graph_(graph),
        executor_(graph, loss, products::make_products(settings.kernels, settings.precision)),
        batch_(graph, settings.labels()),
        tasks_(settings.labels()),
        graphs_(settings.graphs) {
    constexpr const char* remedy = "; set run.kernels = \"simd\"";
    if (settings.precision != products::Precision::fp32 && chosen(settings.kernels) == Kernels::portable)
      throw SettingError("precision", concat(" = \"", products::name(settings.precision),
                                             "\", but portable kernels multiply fp32 numbers; set run.kernels = \"",
                                             has_cublaslt ? "cublaslt" : "simd", "\", or fp32"));
    for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
      const layers::LayerSettings& layer = graph.layers()[n].settings;
      if (graph.nodes()[n].layer->is_host_only())
        throw SettingError("layer." + layer.name,
                           concat(": layers of type ", layer.type, " have no portable kernels", remedy));
    }
    if (loss.is_host_only()) throw SettingError("loss", concat(" ", settings.loss, " has no portable kernels", remedy));
  }

  LaneLosses forward_backward(const Exec& exec, const PlacedVector<float>& flat, const DenseInput& given,
                              float* pooled_gradient, LaneSums& gradients,
                              const std::vector<jagged::JaggedVectors>& unpooled_gradient) override {
    const Device device = device_of(exec);
    const auto first = lanes_.start(device, given.lanes, given.my_lanes, given.global_size);
    const DenseInput& input = batch_.send(device, given, lanes_.rows());
    BatchData data = batch_data(input, given, batch_.unpooled_gradient(device, unpooled_gradient), sequences_);
    data.parameters = batch_.parameters(device, flat);
    data.pooled_gradient = batch_.pooled_gradient(device, pooled_gradient);
    data.draw = {true, input.seed, 0, input.step, first};
    data.tasks = tasks_;
    const TrainingBuffers training{
        data, given.probabilities != nullptr ? batch_.probabilities(device, given.probabilities) : nullptr,
        lanes_.losses(device), lanes_.gradients(device, graph_.size())};
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
    BatchData data = batch_data(input, given, {}, sequences_);
    data.parameters = batch_.parameters(device, flat);
    data.tasks = tasks_;
    const Where where(device);
    executor_.forward(where, data, 0, lanes_.rows(), lanes_.chunks());
    executor_.predict(where, batch_.probabilities(device, probabilities));
    if (towers != nullptr) {
      const Index width = executor_.last_input(0).width;
      float* const device_towers = batch_.towers(device, towers, 2 * width);
      for (Index side : {0, 1})
        copy_rows(where, lanes_.rows(), executor_.last_input(side), {device_towers + side * width, width, 2 * width});
    }
    batch_.fetch(device);
    if (input.labels == nullptr) {
      device.fence();
      return std::vector<double>(input.my_lanes.size());
    }
    executor_.evaluate(where, lanes_.losses(device));
    lanes_.sum_losses(device);
    return lanes_.lane_losses(device, input.global_size).get();
  }

 private:
  /// Buffers that a batch's training reads and writes, in device memory.
  struct TrainingBuffers {
    const BatchData& data;
    float* probabilities;  // null = not wanted
    double* losses;
    LaneGradients gradients;
  };

  void train(const Device& device, const TrainingBuffers& t) {
    const Where where(device);
    executor_.forward(where, t.data, 0, lanes_.rows(), lanes_.chunks());
    if (t.probabilities != nullptr) executor_.predict(where, t.probabilities);
    executor_.evaluate(where, t.losses);
    lanes_.sum_losses(device);
    executor_.backward(where, t.gradients);
  }
  /// Returns the key of a step's launches: all their arguments, except for buffers that this pass owns.
  LaunchKey key_of(const TrainingBuffers& t) const {
    const BatchData& in = t.data;
    LaunchKey key;
    key.add(lanes_.rows(), in.global_size, lanes_.chunks().rows, lanes_.chunks().of_lane);
    key.add(in.dense, in.pooled, in.labels, in.weights, in.task_scales, in.parameters, t.probabilities,
            in.pooled_gradient);
    for (const SequenceData& sequence : in.sequences) {
      key.add(sequence.values.data, sequence.offsets, sequence.gradient.data);
      for (Index lane = 0; lane <= lanes_.chunks().lanes; ++lane)
        key.add(sequence.on_host[lanes_.chunks().lane_rows[lane]]);
    }
    for (const Graph::Node& node : graph_.nodes())
      if (node.layer->draws()) key.add(in.draw.seed, in.draw.step, in.draw.first_sample);
    return key;
  }

  const Graph& graph_;
  Executor executor_;
  DeviceLanes lanes_;
  DeviceBatch batch_;
  Index tasks_;  // labels of a sample
  std::vector<SequenceData> sequences_;
  bool graphs_;
  RepeatedLaunches repeated_;
};

}  // namespace

std::unique_ptr<Pass> device_pass(const Graph& graph, const losses::LossFunction& loss, const Settings& settings) {
  return std::make_unique<DevicePass>(graph, loss, settings);
}

}  // namespace tesserec::network
