// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>

#include "chain.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/model/dlrm.hpp>

namespace tesserec::model {
namespace {

void validate(const Settings& s, Index dense_features, const std::vector<Index>& pooled_dims) {
  if (std::find(types.begin(), types.end(), s.type) == types.end())
    fail("model.type is \"", s.type, "\", and there is no such model; there is ", join(types));
  if (dense_features < 1) fail("model: the data has no dense features, which the bottom MLP needs");
  if (s.bottom.empty() || s.top.empty()) fail("model.bottom and model.top need at least one layer each");
  for (const Index width : s.bottom)
    if (width < 1) fail("model.bottom: a layer of width ", width, "; widths are at least 1");
  for (const Index width : s.top)
    if (width < 1) fail("model.top: a layer of width ", width, "; widths are at least 1");
  if (s.interaction == Interaction::dot && s.bottom.back() != s.embedding_dim)
    fail("model.bottom ends in ", s.bottom.back(), " but model.embedding_dim is ", s.embedding_dim,
         "; interaction dot needs them equal");
  if (s.top.back() != 1) fail("model.top ends in ", s.top.back(), "; it must end in 1, the logit");
  for (std::size_t f = 0; f < pooled_dims.size(); ++f)
    if (s.interaction == Interaction::dot && pooled_dims[f] != s.embedding_dim)
      fail("model.interaction = \"dot\" needs all vectors of ", s.embedding_dim, " numbers, but feature ", f, " has ",
           pooled_dims[f], "; use \"cat\" or one dimension");
  if (!(s.loss_threshold >= 0.0 && s.loss_threshold < 0.5))
    fail("model.loss_threshold is ", s.loss_threshold, "; it must be in [0, 0.5)");
  if (s.loss_weights.size() != 2) fail("model.loss_weights needs two numbers, for label 0 and label 1");
}

std::vector<Index> widths(Index input, const std::vector<Index>& layers) {
  std::vector<Index> all{input};
  all.insert(all.end(), layers.begin(), layers.end());
  return all;
}

/// Appends an MLP's tensors to the layout; `size` is the flat vector's length so far.
dense::Mlp lay_out(const std::string& name, const std::vector<Index>& widths, bool relu_at_end,
                   std::vector<Parameter>& layout, Index& size) {
  const auto place = [&](const std::string& tensor, Index rows, Index columns) {
    layout.push_back({tensor, rows, columns, size});
    size = (size + rows * columns + 15) / 16 * 16;
    return layout.back().offset;
  };
  std::vector<dense::LinearLayer> layers;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const std::string prefix = name + "." + std::to_string(l);
    const Index in = widths[l], out = widths[l + 1];
    const Index weight = place(prefix + ".weight", out, in);
    const Index bias = place(prefix + ".bias", out, 1);
    layers.push_back({in, out, weight, bias, relu_at_end || l + 2 < widths.size()});
  }
  return dense::Mlp(std::move(layers));
}

}  // namespace

struct Dlrm::Impl {
  Impl(const Settings& s, Index dense_features, std::vector<Index> pooled_dims);

  void clear_gaps(float* flat) const {
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const Parameter& p = layout[i];
      const Index next = i + 1 < layout.size() ? layout[i + 1].offset : size;
      std::fill(flat + p.offset + p.rows * p.columns, flat + next, 0.0f);
    }
  }

  /// Splits the lanes into contiguous runs over the threads of `exec`; body(run, lanes of the run, worker).
  template <class Body>
  void over_runs(const Exec& exec, const std::string& label, Range lanes, const Body& body);
  Index runs(const Exec& exec, Range lanes) const { return std::clamp<Index>(concurrency(exec), 1, lanes.size()); }

  Settings settings;
  std::vector<Parameter> layout;
  Index size = 0;
  dense::FeatureInteraction interaction;
  std::vector<Index> bottom_widths, top_widths;
  Chain chain;
  std::vector<ChainWorker> workers;      // one a thread
  std::vector<comm::LaneSums> run_sums;  // one a thread, where there are several
};

Dlrm::Impl::Impl(const Settings& s, Index dense_features, std::vector<Index> pooled_dims)
    : settings(s),
      interaction(s.interaction, s.itself, s.bottom.back(), std::move(pooled_dims)),
      bottom_widths(widths(dense_features, s.bottom)),
      top_widths(widths(interaction.width(), s.top)),
      chain{lay_out("bottom", bottom_widths, true, layout, size),
            interaction,
            lay_out("top", top_widths, false, layout, size),
            {s.loss, s.loss_threshold, {s.loss_weights[0], s.loss_weights[1]}},
            size} {}

template <class Body>
void Dlrm::Impl::over_runs(const Exec& exec, const std::string& label, Range lanes, const Body& body) {
  const Index count = runs(exec, lanes);
  while (std::ssize(workers) < count) workers.emplace_back(exec, chain);
  parallel_for(exec, label, count, [&](Index run) {
    const Range mine{lanes.begin + run * lanes.size() / count, lanes.begin + (run + 1) * lanes.size() / count};
    body(run, mine, workers[run]);
  });
}

Dlrm::Dlrm(const Settings& settings, Index dense_features, std::vector<Index> pooled_dims) {
  validate(settings, dense_features, pooled_dims);
  impl_ = std::make_unique<Impl>(settings, dense_features, std::move(pooled_dims));
}
Dlrm::~Dlrm() = default;

const Settings& Dlrm::settings() const { return impl_->settings; }
const std::vector<Parameter>& Dlrm::layout() const { return impl_->layout; }
Index Dlrm::parameters() const { return impl_->size; }
const std::vector<Index>& Dlrm::bottom_widths() const { return impl_->bottom_widths; }
const std::vector<Index>& Dlrm::top_widths() const { return impl_->top_widths; }
Index Dlrm::pooled_width() const { return impl_->interaction.pooled_width(); }

void Dlrm::share_weights(const comm::Node& node) { impl_->chain.share_weights(node); }

double Dlrm::interaction_flops_per_sample() const { return 3.0 * impl_->interaction.flops(); }

double Dlrm::flops_per_sample() const {
  double flops = interaction_flops_per_sample();
  for (const Parameter& p : impl_->layout)
    if (p.columns > 1 || p.name.ends_with("weight")) flops += (p.offset == 0 ? 4.0 : 6.0) * double(p.rows * p.columns);
  return flops;
}

void Dlrm::initialise(const Exec& exec, std::uint64_t seed, const Vector<float>& parameters) const {
  assert(Index(parameters.extent(0)) == impl_->size);
  for (std::size_t i = 0; i < impl_->layout.size(); i += 2) {  // a weight, then its bias
    const Parameter& weight = impl_->layout[i];
    const Parameter& bias = impl_->layout[i + 1];
    const Random weights(seed, Purpose::dense_weights, i / 2), biases(seed, Purpose::dense_biases, i / 2);
    const double out = weight.rows, in = weight.columns;
    const float weight_scale = std::sqrt(2.0 / (in + out));
    const float bias_scale = std::sqrt(1.0 / out);
    float* const to_weight = parameters.data() + weight.offset;
    float* const to_bias = parameters.data() + bias.offset;
    parallel_for(exec, "tesserec::model::initialise", weight.rows, [=, columns = weight.columns](Index row) noexcept {
      float* const w = to_weight + row * columns;
      for (Index column = 0; column < columns; ++column) w[column] = weight_scale * weights.normal(row, column);
      to_bias[row] = bias_scale * biases.normal(row, 0);
    });
  }
  exec.fence();
  impl_->clear_gaps(parameters.data());
}

std::vector<double> Dlrm::forward_backward(const Exec& exec, const Vector<float>& parameters, const DenseInput& input,
                                           float* pooled_gradient, comm::LaneSums& gradients) const {
  assert(gradients.length() == impl_->size && input.labels != nullptr);
  const Range lanes = input.my_lanes;
  const Index offset = input.lanes.samples(int(lanes.begin), input.global_size).begin;
  const ChainData data{input.global_size, input.dense, input.pooled, input.labels, pooled_gradient, nullptr};
  std::vector<double> losses(lanes.size());

  const Index runs = impl_->runs(exec, lanes);
  if (runs > 1) {
    while (std::ssize(impl_->run_sums) < runs) impl_->run_sums.emplace_back(impl_->size);
    for (comm::LaneSums& sums : impl_->run_sums) sums.reserve(exec, (lanes.size() + runs - 1) / runs);
  }
  gradients.start(lanes);
  impl_->chain.pack(exec, parameters.data(), true);
  impl_->over_runs(exec, "tesserec::model::forward_backward", lanes, [&](Index run, Range mine, ChainWorker& worker) {
    comm::LaneSums& sums = runs > 1 ? impl_->run_sums[run] : gradients;
    if (runs > 1) sums.start(mine);
    for (Index lane = mine.begin; lane < mine.end; ++lane) {
      Range samples = input.lanes.samples(int(lane), input.global_size);
      samples = {samples.begin - offset, samples.end - offset};
      const Vector<float> gradient = sums.next(exec, lane);
      if (samples.size() == 0) std::fill_n(gradient.data(), impl_->size, 0.0f);
      impl_->clear_gaps(gradient.data());
      losses[lane - lanes.begin] = worker.forward_backward(data, samples, gradient.data()) / double(input.global_size);
    }
    if (runs > 1) sums.finish();
  });
  if (runs > 1)
    for (Index run = 0; run < runs; ++run) gradients.absorb(impl_->run_sums[run]);
  gradients.finish();
  return losses;
}

std::vector<double> Dlrm::predict(const Exec& exec, const Vector<float>& parameters, const DenseInput& input,
                                  float* probabilities) const {
  const Range lanes = input.my_lanes;
  const Index offset = input.lanes.samples(int(lanes.begin), input.global_size).begin;
  const ChainData data{input.global_size, input.dense, input.pooled, input.labels, nullptr, probabilities};
  std::vector<double> losses(lanes.size());
  impl_->chain.pack(exec, parameters.data(), false);
  impl_->over_runs(exec, "tesserec::model::predict", lanes, [&](Index, Range mine, ChainWorker& worker) {
    for (Index lane = mine.begin; lane < mine.end; ++lane) {
      const Range samples = input.lanes.samples(int(lane), input.global_size);
      losses[lane - lanes.begin] =
          worker.predict(data, {samples.begin - offset, samples.end - offset}) / double(input.global_size);
    }
  });
  return losses;
}

}  // namespace tesserec::model
