// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>

#include <tesserec/core/memory.hpp>
#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/start_values.hpp>
#include <tesserec/embedding/table.hpp>

namespace tesserec::embedding {
namespace {

constexpr Index rows_per_task = 4096;
constexpr Index bags_per_task = 512;

constexpr const char* fill = "tesserec::embedding::fill";

/// Start values of a row's columns, in device memory.
struct DrawRows {
  std::uint32_t key0, key1;
  Index first_row, first_quad, columns;
  float bound;
  float* to;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    const std::uint64_t row = first_row + i / columns;
    const Index column = i % columns;
    std::uint32_t words[4] = {std::uint32_t(row), std::uint32_t(row >> 32), std::uint32_t(first_quad + column / 4), 0};
    philox::ten_rounds(key0, key1, words);
    to[i] = philox::uniform(words[column % 4], bound);
  }
};

}  // namespace

EmbeddingTable::EmbeddingTable(const Exec& exec, const EmbeddingBagConfig& config, Range blocks, Range columns,
                               const optim::Settings& optimizer, ComputeKernel kernel, Place place)
    : config_(config),
      row_blocks_(config.num_embeddings),
      blocks_(blocks),
      rows_(row_blocks_.rows(blocks)),
      columns_(columns),
      optimizer_(optimizer),
      kernel_(kernel),
      gathered_(columns.size()) {
  const auto matrix = [&](const std::string& name, Index columns) {
    return with_memory(
        [&] { return concat("table ", config.name, ", its ", name, " of ", rows_.size(), " x ", columns); },
        double(rows_.size()) * double(columns) * sizeof(float),
        [&] {
          return PlacedMatrix<float>(exec, place, "tesserec::embedding::" + name + " " + config.name, rows_.size(),
                                     columns);
        });
  };
  weights_ = matrix("weights", dim());
  for (const optim::StateInfo& info : optim::states(optimizer.type)) {
    State state{info.name, info.per_row, matrix(info.name, info.per_row ? 1 : dim())};
    const bool is_sum = optimizer.type == optim::Type::adagrad || optimizer.type == optim::Type::rowwise_adagrad;
    state.values.fill(exec, fill, is_sum ? float(optimizer.initial_accumulator) : 0.0f);
    states_.begin[state_.size()] = state.values.data();
    states_.width[state_.size()] = state.values.columns();
    state_.push_back(state);
  }
  if (kernel == ComputeKernel::dense) {
    dense_gradient_ = matrix("gradient", dim());
    dense_gradient_.fill(exec, fill, 0.0f);
  }
  wait(exec);
}

void EmbeddingTable::initialise(const Exec& exec, std::uint64_t seed, Index table) {
  const StartValues start(config_, seed, table);
  const Index tasks = (rows_.size() + rows_per_task - 1) / rows_per_task;
  float* data = weights_.data();
  if (config_.start == RowStart::one) {
    weights_.fill(exec, fill, 1.0f);
    return wait(exec);
  }
  const Index first = rows_.begin, rows = rows_.size();
  const Range columns = columns_;
  if (weights_.place() == Place::device) {
    over_numbers(device_of(exec), "tesserec::embedding::initialise", rows * columns.size(),
                 DrawRows{start.random().key()[0], start.random().key()[1], first, columns.begin / 4, columns.size(),
                          start.bound(), data});
    return wait(exec);
  }
  parallel_for(exec, "tesserec::embedding::initialise", tasks, [=](Index task) noexcept {
    const Index begin = task * rows_per_task;
    start({first + begin, first + std::min(rows, begin + rows_per_task)}, columns, data + begin * columns.size());
  });
  wait(exec);
}

void EmbeddingTable::prepare(const ShardBags& bags, const BatchSplit& split) {
  batch_.uses.clear();
  batch_.are_sums = false;
  std::vector<Index> next;  // float offset of each feature's next gradient
  for (const std::vector<Bags>& run : bags) {
    next.clear();
    for (const Bags& feature : run) next.push_back(feature.gradients_at);
    const Index samples = run.empty() ? 0 : run.front().count;
    const Index first = samples > 0 ? run.front().first_sample : 0;
    int lane = samples > 0 ? split.lane_of(first) : 0;
    for (Index s = 0; s < samples; ++s) {
      while (first + s >= split.lane(lane).end) ++lane;
      for (std::size_t f = 0; f < run.size(); ++f) {
        const Bags& feature = run[f];
        const Index stride = feature.gradients_stride > 0 ? feature.gradients_stride : dim();
        for (Index i = feature.offsets[s]; i < feature.offsets[s + 1]; ++i) {
          batch_.uses.push_back(
              {feature.ids[i] - rows_.begin, next[f], lane, feature.weights == nullptr ? 1.0f : feature.weights[i]});
          if (feature.unpooled) next[f] += stride;
        }
        if (!feature.unpooled && (feature.gradients_stride > 0 || feature.length(s) > 0)) next[f] += stride;
      }
    }
  }
  sort_by_row(batch_.uses, rows_.size());
}

void EmbeddingTable::lookup(const Exec& exec, const Bags& bags, const Nodes& nodes, float* out) const {
  parallel_for(exec, "tesserec::embedding::lookup", lookup_tasks(bags),
               [&](Index task) { lookup_task(task, bags, nodes, out); });
}

Index EmbeddingTable::lookup_tasks(const Bags& bags) { return (bags.count + bags_per_task - 1) / bags_per_task; }

void EmbeddingTable::lookup_task(Index task, const Bags& bags, const Nodes& nodes, float* out) const {
  pool({row_blocks_, blocks_, weights_.data(), rows_.begin, dim()}, bags, nodes,
       {task * bags_per_task, std::min(bags.count, (task + 1) * bags_per_task)}, out);
}

RowSums EmbeddingTable::sum_gradients(const float* gradients, Range lanes) const {
  RowSums result;
  sum_rows(
      batch_.uses, gradients, dim(), lanes, false, [](Index) {},
      [&](Index row, Index leaf, const float* sum) {
        result.rows.push_back(row);
        result.leaves.push_back(leaf);
        result.sums.insert(result.sums.end(), sum, sum + dim());
      });
  return result;
}

void EmbeddingTable::prepare_sums(std::span<const RowUse> sums) {
  batch_.uses.assign(sums.begin(), sums.end());
  batch_.are_sums = true;
  sort_by_row(batch_.uses, rows_.size());
}

void EmbeddingTable::update(const Exec& exec, const float* gradients, double lr, Index step) {
  const Index shares = concurrency(exec);
  parallel_for(exec, "tesserec::embedding::update", shares,
               [&](Index i) { update_task(i, shares, gradients, lr, step); });
  finish_update(exec, lr, step);
}

void EmbeddingTable::update_task(Index share, Index shares, const float* gradients, double lr, Index step) {
  assert(!shares_rows());
  const optim::StepScalars scalars = optim::step_scalars(optimizer_, lr, step);
  const auto count = std::ssize(batch_.uses);
  std::vector<float> scratch;
  const auto cut = [&](Index i) {  // where the row changes: every row belongs to one
    Index at = count * i / shares;
    while (at > 0 && at < count && batch_.uses[at].row == batch_.uses[at - 1].row) ++at;
    return at;
  };
  const Index first = cut(share), last = cut(share + 1);
  sum_rows(
      std::span(batch_.uses).subspan(first, last - first), gradients, dim(), whole_tree, batch_.are_sums,
      [&](Index row) { prefetch(row); },
      [&](Index row, Index, const float* sum) {
        const float* gradient = clipped(sum, scratch);
        if (kernel_ == ComputeKernel::dense)
          std::copy(gradient, gradient + dim(), dense_gradient_.data() + row * dim());
        else
          optim::move_row(scalars, this->row(row, gradient));
      });
}

void EmbeddingTable::finish_update(const Exec& exec, double lr, Index step) {
  if (kernel_ != ComputeKernel::dense) return;
  update_every_row(exec, optim::step_scalars(optimizer_, lr, step));
  for (const RowUse& use : batch_.uses) std::fill_n(dense_gradient_.data() + use.row * dim(), dim(), 0.0f);
}

void EmbeddingTable::update_every_row(const Exec& exec, const optim::StepScalars& scalars) {
  const Index tasks = (rows_.size() + rows_per_task - 1) / rows_per_task;
  parallel_for(exec, "tesserec::embedding::update_dense", tasks, [&](Index task) {
    const Index begin = task * rows_per_task;
    const Index n = std::min(rows_per_task, rows_.size() - begin) * dim();
    const optim::Row first = row(begin, dense_gradient_.data() + begin * dim());
    optim::move(scalars, first.weights, first.gradient, first.states, n);
  });
}

}  // namespace tesserec::embedding
