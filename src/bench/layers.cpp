// SPDX-License-Identifier: Apache-2.0
#include "dense_chain.hpp"
#include "step.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/layers.hpp>
#include <tesserec/products.hpp>

namespace tesserec::bench {
namespace {

class Layers {
 public:
  Layers(const Context& context, const Limits& limits, std::vector<Figure>& figures)
      : context_(context), limits_(limits), figures_(figures) {}

  /// Measures a layer of the network alone; of an mlp, each linear layer.
  void add(const network::LayerInfo& info) {
    const std::unique_ptr<layers::Layer> layer = layers::make_layer(info.settings, info.inputs);
    const Vector<float> parameters = numbers(context_.exec, layer->size()),
                        gradient = numbers(context_.exec, layer->size()),
                        packed = numbers(context_.exec, layer->packed_size());
    const auto pack = [&] {
      layer->pack(context_.exec, parameters.data(), true, packed.data(), {0, std::max<Index>(layer->size(), 1)});
    };
    pack();
    if (info.settings.type == "mlp")
      linear_layers(info, packed, gradient);
    else
      whole(info, *layer, parameters, packed, gradient);
    if (layer->packed_size() > 0) packing_seconds_ += context_.seconds(pack);
  }

  /// Returns the seconds of packing all layers, which a step does once.
  double packing_seconds() const { return packing_seconds_; }

  /// Measures a body that runs on all threads.
  template <class Body>
  void add_parallel(const std::string& name, double flops, products::Precision precision, const Body& body) {
    const MultiplyAdds& peak = peak_of(precision);
    time(name, flops, body, peak.all_flops(context_.exec), [&] { peak.run_all(context_.exec); });
  }

 private:
  const MultiplyAdds& peak_of(products::Precision precision) const {
    return precision == products::Precision::bf16 ? bf16_ : fp32_;
  }

  void linear_layers(const network::LayerInfo& info, const Vector<float>& packed, const Vector<float>& gradient) {
    std::vector<layers::LinearLayer> layers;
    Index in = info.inputs[0].width(), at = 0;
    for (const Index out : info.settings.widths) {
      layers.push_back({in, out, at, 0, layers::Activation::relu});
      at += in * out;
      in = out;
    }
    const layers::Mlp mlp(layers, info.settings.precision);
    layers::Mlp::Matrices own = mlp.make_matrices();
    const layers::Layer::Batch batch = this->batch({}, gradient, packed, nullptr);
    const Vector<float> x = numbers(context_.exec, chunk_samples * mlp.input_width()),
                        upstream = numbers(context_.exec, chunk_samples * mlp.output_width());
    products_->load(thread_, chunk_samples, {x.data(), mlp.input_width(), mlp.input_width()}, true, own.x);
    products_->reserve(thread_, chunk_samples, own.y.back());
    products_->reserve(thread_, chunk_samples, own.dx);
    mlp.forward(thread_, batch, own);
    products_->load_gradient(thread_, chunk_samples, {upstream.data(), mlp.output_width(), mlp.output_width()}, true,
                             own.dy.back());
    products_->gradient_written(thread_, chunk_samples, &own.y.back(), own.dy.back());
    mlp.backward(thread_, batch, true, {gradient.data(), 0, true}, own);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const std::string layer = concat(info.settings.name, ".", l, " ", layers[l].in, "x", layers[l].out);
      const double flops = 2.0 * double(chunk_samples * layers[l].in * layers[l].out);
      const MultiplyAdds& peak = peak_of(mlp.precision(l));
      const products::Linear linear = mlp.linear(batch, l, own);
      const products::Matrix& from = l > 0 ? own.y[l - 1] : own.x;
      time(layer + " forward", flops, peak,
           [&] { products_->forward(thread_, chunk_samples, linear, from, true, own.y[l]); });
      const products::Matrix* const mask = l > 0 ? &from : nullptr;
      products::Matrix& dx = l > 0 ? own.dy[l - 1] : own.dx;
      if (l > 0 || info.wants_input_gradient)
        time(layer + " input gradient", flops, peak,
             [&] { products_->input_gradient(thread_, chunk_samples, linear, own.dy[l], l > 0, mask, dx); });
      const LaneGradients to{gradient.data(), 0, true};
      time(layer + " weight gradient", flops, peak, [&] {
        products_->weight_gradient(thread_, batch.chunks, linear, own.dy[l], from, {to.from(layers[l].weight), to});
      });
    }
  }

  layers::Layer::Batch batch(std::span<const layers::LayerInput> inputs, const Vector<float>& parameters,
                             const Vector<float>& packed, Workspace* workspace) const {
    return {chunk_samples, piece_.pieces(), inputs, parameters.data(), packed.data(), products_.get(), workspace, {}};
  }

  void whole(const network::LayerInfo& info, const layers::Layer& layer, const Vector<float>& parameters,
             const Vector<float>& packed, const Vector<float>& gradient) {
    const auto workspace = layer.make_workspace();
    std::vector<Vector<float>> buffers;
    const auto rows = [&](Index count, Index width) {
      buffers.push_back(numbers(context_.exec, count * width));
      return Rows<float>{buffers.back().data(), width, width};
    };
    std::vector<layers::LayerInput> inputs;
    std::vector<Rows<float>> input_gradients;
    std::vector<std::vector<Index>> offsets;  // offsets of sequences that all have the mean length
    offsets.reserve(info.inputs.size());
    Index vectors = chunk_samples;  // vectors of the output
    for (const layers::InputShape& input : info.inputs) {
      const Index length = input.sequence ? std::max<Index>(1, std::lround(input.length)) : 1;
      const Index count = length * chunk_samples;
      layers::LayerInput& value = inputs.emplace_back(layers::LayerInput{rows(count, input.width())});
      if (input.sequence) {
        offsets.emplace_back();
        for (Index s = 0; s <= chunk_samples; ++s) offsets.back().push_back(s * length);
        value.lengths = {offsets.back().data(), offsets.back().data(), 0, count};
        if (layer.gives_sequence()) vectors = count;
      }
      input_gradients.push_back(info.wants_input_gradient ? rows(count, input.width()) : Rows<float>{});
    }
    const Rows<float> out = rows(vectors, info.width), upstream = rows(vectors, info.width);
    const layers::Layer::Batch batch = this->batch(inputs, parameters, packed, workspace.get());
    const layers::Flops flops = layer.flops();
    const auto forward = [&] { layer.forward(thread_, batch, out); };
    const auto backward = [&] {
      layer.backward(thread_, batch, out, upstream, input_gradients, {gradient.data(), 0, true});
    };
    if (flops.forward == 0) {  // the layer only copies
      const double bytes = 2.0 * sizeof(float) * double(chunk_samples * info.width);
      copies(info.settings.name + " forward", bytes, forward);
      copies(info.settings.name + " backward", bytes, backward);
      return;
    }
    const MultiplyAdds& peak =
        peak_of(layer.multiplies_matrices() ? info.settings.precision : products::Precision::fp32);
    time(info.settings.name + " forward", chunk_samples * flops.forward, peak, forward);
    time(info.settings.name + " backward",
         chunk_samples * (flops.backward + (info.wants_input_gradient ? flops.inputs : 0.0)), peak, backward);
  }

  template <class Body>
  void copies(const std::string& name, double bytes, const Body& body) {
    const double seconds = context_.seconds(body);
    figures_.push_back({"layers", name, bytes / seconds, "B/s", limits_.triad, "triad", seconds});
  }
  template <class Body>
  void time(const std::string& name, double flops, const MultiplyAdds& peak, const Body& body) {
    time(name, flops, body, peak.flops, peak.run);
  }
  template <class Body, class Peak>
  void time(const std::string& name, double flops, const Body& body, double peak_flops, const Peak& run_peak) {
    const auto [seconds, peak_seconds] = context_.seconds(body, run_peak);
    figures_.push_back({"layers", name, flops / seconds, "FLOP/s", peak_flops / peak_seconds, "multiply-add", seconds});
  }

  const Context& context_;
  const Limits& limits_;
  const MultiplyAdds fp32_ = multiply_adds(), bf16_ = multiply_adds(products::Precision::bf16);
  std::vector<Figure>& figures_;
  double packing_seconds_ = 0;
  const Where thread_;  // execution on this thread
  const OnePiece piece_{chunk_samples};
  const std::unique_ptr<products::Products> products_ = products::panel_products();
};

}  // namespace

void measure_layers(const Context& context, const train::Session& session, const Limits& limits,
                    std::vector<Figure>& figures) {
  const network::Network& model = session.model.dense;
  const std::size_t first = figures.size();
  Layers layers(context, limits, figures);
  for (const network::LayerInfo& layer : model.layers()) layers.add(layer);
  // The figures so far are for a chunk; a step has all of the rank's samples.
  DenseChain chain(context.exec, model, session.lanes, session.comm.rank(), session.comm.size(),
                   session.job.train.batch_size);
  const double samples = chain.samples();
  for (std::size_t i = first; i < figures.size(); ++i) figures[i].step_seconds *= samples / chunk_samples;
  layers.add_parallel("dense chain, all of these for a step's samples", samples * model.flops_per_sample(),
                      model.settings().precision, [&] { chain.run(); });
  const double written = model.settings().precision == products::Precision::bf16 ? 0.5 : 1.0;
  const double moved = 2.0 * (1.0 + written) * sizeof(float) * double(model.parameters());  // two layouts of them
  figures.push_back({"layers", "weights packed, once a step", moved / layers.packing_seconds(), "B/s", limits.triad,
                     "triad", layers.packing_seconds() / session.model.sharers()});
}

}  // namespace tesserec::bench
