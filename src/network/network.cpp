// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>

#include "pass.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/losses/loss_types.hpp>
#include <tesserec/network/model_types.hpp>
#include <tesserec/network/network.hpp>

namespace tesserec::network {
namespace {

std::unique_ptr<losses::LossFunction> make_loss(const Settings& s, const Graph& graph) {
  const LayerInfo& last = graph.layers().back();
  std::unique_ptr<losses::LossFunction> loss;
  try {
    losses::LossSettings settings = s.loss_settings;
    settings.tasks = s.labels();
    loss = losses::make_loss(s.loss, settings);
  } catch (const Error& error) {
    fail("model.", error.what());
  }
  if (last.sequence)
    throw SettingError("loss", concat(" ", s.loss, " takes numbers of each sample, but the last layer, ",
                                      last.settings.name, ", gives a sequence; end with another layer"));
  if (const std::string takes = loss->refuses(last.width); !takes.empty())
    throw SettingError("loss", concat(" ", s.loss, " takes ", takes, ", but the last layer, ", last.settings.name,
                                      ", gives ", counted(last.width, "number")));
  return loss;
}

std::unique_ptr<Pass> make_pass(const Graph& graph, PackedWeights& weights, const losses::LossFunction& loss,
                                const Settings& s) {
  const bool cublaslt = chosen(s.kernels) == Kernels::cublaslt;
  if (cublaslt && !has_cublaslt)
    throw SettingError("kernels",
                       " = \"cublaslt\", but this build has no cuBLASLt, which needs a Kokkos with CUDA (docs/gpu.md); "
                       "set run.kernels = \"auto\"",
                       "run");
  if (s.precision == products::Precision::tf32 && !cublaslt)
    throw SettingError("precision",
                       concat(" = \"tf32\", but ", name(chosen(s.kernels)), " kernels do not multiply in tf32; ",
                              !has_cublaslt ? "set fp32" : "set run.kernels = \"cublaslt\", or fp32"));
  return place_of(s.kernels) == Place::device ? device_pass(graph, loss, s)
                                              : chunk_pass(graph, weights, loss, s.labels());
}

EmbeddedFeatures without_names(const std::vector<Index>& dims) {
  EmbeddedFeatures features;
  for (const Index dim : dims) features.pooled.push_back({"", dim});
  return features;
}

}  // namespace

std::string describe_layers(const std::vector<LayerInfo>& layers) {
  std::string text;
  std::size_t width = 12;
  for (const LayerInfo& layer : layers) width = std::max(width, layer.settings.name.size());
  for (const LayerInfo& layer : layers)
    text += concat("  ", left(layer.settings.name, width), " ", layer.settings.type, " of ",
                   join(layer.settings.inputs), layer.shape.empty() ? "" : ": ", layer.shape, "\n");
  return text;
}

struct Network::Impl {
  Impl(const Settings& s, Index dense_features, EmbeddedFeatures features)
      : settings(s),
        graph(layers_of(s, dense_features > 0), s.precision, dense_features, std::move(features)),
        loss(make_loss(s, graph)),
        weights(graph),
        pass(make_pass(graph, weights, *loss, settings)) {}

  /// Returns the FLOPs per training sample of the layers that multiply matrices, or of the others.
  double flops(bool products) const {
    double sum = 0;
    for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
      const layers::Layer& layer = *graph.nodes()[n].layer;
      if (layer.multiplies_matrices() != products) continue;
      const layers::Flops flops = layer.flops();
      sum += flops.forward + flops.backward + (graph.layers()[n].wants_input_gradient ? flops.inputs : 0.0);
    }
    return sum;
  }

  Settings settings;
  Graph graph;
  std::unique_ptr<losses::LossFunction> loss;
  PackedWeights weights;
  std::unique_ptr<Pass> pass;
  const float* frozen = nullptr;  // parameters of predictors
};

Network::Network(const Settings& settings, Index dense_features, EmbeddedFeatures features)
    : impl_(std::make_unique<Impl>(settings, dense_features, std::move(features))) {}
Network::Network(const Settings& settings, Index dense_features, const std::vector<Index>& pooled_dims)
    : Network(settings, dense_features, without_names(pooled_dims)) {}
Network::~Network() = default;

const Settings& Network::settings() const { return impl_->settings; }
const std::vector<Parameter>& Network::layout() const { return impl_->graph.parameters(); }
Index Network::parameters() const { return impl_->graph.size(); }
Index Network::dense_features() const { return impl_->graph.dense_features(); }
Index Network::pooled_width() const { return impl_->graph.pooled_width(); }
const std::vector<EmbeddedFeature>& Network::unpooled() const { return impl_->graph.unpooled(); }

Index Network::packed_size() const { return impl_->graph.packed_size(); }
void Network::share_weights(const SharedPacking& shared) { impl_->weights.share(shared); }

Index Network::tower_width() const {
  const LayerInfo& last = impl_->graph.layers().back();
  const bool has_two_towers = last.settings.type == "score" || last.settings.type == "cat";
  return has_two_towers && last.inputs.size() == 2 && last.inputs[0].width() == last.inputs[1].width()
             ? last.inputs[0].width()
             : 0;
}

double Network::flops_per_sample() const { return impl_->flops(true) + impl_->flops(false); }
double Network::other_flops_per_sample() const { return impl_->flops(false); }
const std::vector<LayerInfo>& Network::layers() const { return impl_->graph.layers(); }

void Network::initialize(const Exec& exec, std::uint64_t seed, const PlacedVector<float>& parameters) const {
  const Graph& graph = impl_->graph;
  assert(std::ssize(parameters) == graph.size());
  if (parameters.place() == Place::device) {
    const Vector<float> drawn = make_vector<float>(exec, "tesserec::network::start", graph.size());
    initialize(exec, seed, drawn);
    return copy(exec, Place::host, drawn.data(), Place::device, parameters.data(), graph.size());
  }
  Index weights = 0, biases = 0;  // number of the next tensor of each kind
  for (const Parameter& tensor : graph.parameters()) {
    float* const to = parameters.data() + tensor.offset;
    if (tensor.start == layers::Start::zero || tensor.start == layers::Start::one) {
      std::fill_n(to, tensor.rows * tensor.columns, tensor.start == layers::Start::one ? 1.0f : 0.0f);
      continue;
    }
    const bool weight = tensor.start == layers::Start::weight;
    const Purpose purpose = weight ? Purpose::dense_weights : Purpose::dense_biases;
    const Random random(seed, purpose, weight ? weights++ : biases++);
    const double rows = tensor.rows, columns = tensor.columns;
    const float scale = weight ? std::sqrt(2.0 / (rows + columns)) : std::sqrt(1.0 / rows);
    parallel_for(exec, "tesserec::network::initialize", tensor.rows, [=, columns = tensor.columns](Index row) noexcept {
      for (Index column = 0; column < columns; ++column)
        to[row * columns + column] = scale * random.normal(row, column);
    });
  }
  exec.fence();
  clear_gaps(graph, parameters.data());
}

LaneLosses Network::forward_backward(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                                     float* pooled_gradient, LaneSums& gradients,
                                     const std::vector<jagged::JaggedVectors>& unpooled_gradient) const {
  assert(gradients.length() == impl_->graph.size() && input.labels != nullptr);
  return impl_->pass->forward_backward(exec, parameters, input, pooled_gradient, gradients, unpooled_gradient);
}

std::vector<double> Network::predict(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                                     float* probabilities, float* towers) const {
  return impl_->pass->predict(exec, parameters, input, probabilities, towers);
}

void Network::freeze(const Exec& exec, const PlacedVector<float>& parameters) {
  assert(parameters.place() == Place::host);
  impl_->frozen = parameters.data();
  impl_->weights.pack(exec, impl_->frozen, false);
  exec.fence();
}

std::unique_ptr<Predictor> Network::predictor() const {
  assert(impl_->frozen != nullptr);
  return chunk_predictor(impl_->graph, impl_->weights, impl_->frozen, *impl_->loss);
}

}  // namespace tesserec::network
