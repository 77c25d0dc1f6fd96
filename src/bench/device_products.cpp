// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "dense_chain.hpp"
#include "kernels.hpp"
#include <tesserec/core/device_list.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/products/device_products.hpp>

namespace tesserec::bench {
namespace {

using products::Precision;

class MeasuredProducts {
 public:
  MeasuredProducts(const Context& context, Kernels kernels, Precision precision)
      : context_(context), device_(device_of(context.exec)), products_(products::device_products(kernels, precision)) {}

  /// Returns the FLOP/s of y = x w^T; x [rows, in], w [out, in].
  double forward(Index rows, Index in, Index out) {
    const auto [x, w, y] = operands(rows * in, out * in, rows * out);
    return rate(rows, in, out, [&] {
      products_->forward(device_, {rows, {x, in, in}, w, nullptr, false, {y, out, out}});
    });
  }
  /// Returns the FLOP/s of dx = dy w.
  double input_gradient(Index rows, Index in, Index out) {
    const auto [dy, w, dx] = operands(rows * out, out * in, rows * in);
    return rate(rows, in, out, [&] {
      products_->input_gradient(device_, {rows, {dy, out, out}, w, {}, {dx, in, in}});
    });
  }
  /// Returns the FLOP/s of dw = dy^T x for each lane, in the chunks and lanes of training.
  double weight_gradient(const Lanes& lanes, Range own_lanes, Index batch, Index in, Index out) {
    const Index first = lanes.samples(own_lanes, batch).begin, rows = lanes.samples(own_lanes, batch).size();
    std::vector<Index> chunks, of_lane, lane_rows;
    for (Index lane = own_lanes.begin; lane < own_lanes.end; ++lane) {
      const Range samples = lanes.samples(int(lane), batch);
      of_lane.push_back(std::ssize(chunks));
      lane_rows.push_back(samples.begin - first);
      for (Index at = samples.begin; at < samples.end; at += chunk_samples) chunks.push_back(at - first);
    }
    of_lane.push_back(std::ssize(chunks));
    lane_rows.push_back(rows);
    chunks.push_back(rows);
    const Pieces pieces{of_lane.back(), own_lanes.size(), chunks_.upload(device_, chunks),
                        of_lane_.upload(device_, of_lane), lane_rows.data()};
    const auto [dy, x, dw] = operands(rows * out, rows * in, own_lanes.size() * out * in);
    return rate(rows, in, out, [&] {
      products_->weight_gradient(device_, {pieces, {dy, out, out}, {x, in, in}, dw, nullptr, out * in});
    });
  }

 private:
  struct OperandBuffers {
    const float *a, *b;
    float* to;
  };
  OperandBuffers operands(Index a, Index b, Index to) {
    const auto filled = [&](DeviceVector<float>& buffer, Index n) {
      const Vector<float> made = numbers(context_.exec, n);
      float* const to = reserve_device(device_, buffer, "tesserec::bench::operands", n);
      copy_to_device<float>(device_, made.data(), to, n);
      device_.fence();
      return to;
    };
    return {filled(a_, a), filled(b_, b), filled(to_, to)};
  }
  template <class Body>
  double rate(Index rows, Index in, Index out, const Body& body) const {
    constexpr int calls = device_is_host ? 1 : 16;  // calls a wait, so that launches and the wait are a small share
    const double seconds = context_.seconds([&] {
      for (int call = 0; call < calls; ++call) body();
      device_.fence();
    });
    return calls * 2.0 * double(rows) * double(in) * double(out) / seconds;
  }

  const Context& context_;
  const Device device_;
  std::unique_ptr<products::DeviceProducts> products_;
  DeviceVector<float> a_, b_, to_;
  DeviceList<Index> chunks_, of_lane_;
};

}  // namespace

void measure_products(const Context& context, const train::Session& session, std::vector<Figure>& figures) {
  const network::Settings& model = session.model.dense.settings();
  if (place_of(model.kernels) == Place::host) return;
  std::vector<Precision> precisions{Precision::fp32};
  if (chosen(model.kernels) == Kernels::cublaslt) precisions = {Precision::fp32, Precision::tf32, Precision::bf16};
  constexpr Index side = device_is_host ? 512 : 8192;
  std::map<Precision, double> peak;
  for (const Precision precision : precisions) {
    peak[precision] = MeasuredProducts(context, model.kernels, precision).forward(side, side, side);
    figures.push_back({"kernels",
                       concat("product of ", side, " x ", side, " x ", side, ", ", products::name(precision)),
                       peak[precision], "FLOP/s", 0, "", 0});
  }
  MeasuredProducts products(context, model.kernels, model.precision);
  const Index batch = session.job.train.batch_size;
  const Range own_lanes = session.lanes.of_rank(session.comm.rank(), session.comm.size());
  const Index rows = session.lanes.samples(own_lanes, batch).size();
  for (const network::LayerInfo& layer : session.model.dense.layers()) {
    if (layer.settings.type != "mlp") continue;
    Index in = layer.inputs[0].width(), number = 0;
    for (const Index out : layer.settings.widths) {
      const Precision precision = out > 1 ? model.precision : Precision::fp32;
      const auto add = [&](const char* label, double rate) {
        figures.push_back({"kernels", concat(layer.settings.name, ".", number, " ", in, "x", out, " ", label), rate,
                           "FLOP/s", peak[precision], "large product", 0});
      };
      add("forward", products.forward(rows, in, out));
      add("input gradient", products.input_gradient(rows, in, out));
      add("weight gradient", products.weight_gradient(session.lanes, own_lanes, batch, in, out));
      in = out;
      ++number;
    }
  }
}

}  // namespace tesserec::bench
