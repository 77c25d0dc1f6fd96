// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "step.hpp"
#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::bench {
namespace {

const char* name_of(optim::Type type) {
  switch (type) {
    case optim::Type::sgd:
      return "SGD";
    case optim::Type::adagrad:
      return "Adagrad";
    case optim::Type::rowwise_adagrad:
      return "row-wise Adagrad";
    default:
      return "Adam";
  }
}

}  // namespace

void measure_rows(const Context& context, Index dim, const Limits& limits, std::vector<Figure>& figures) {
  const Index row_bytes = dim * Index{sizeof(float)};
  const Index rows = std::max<Index>(1024, context.settings.memory / 4 / row_bytes);
  const Index count = std::min(Index{1} << 19, rows / 2);  // ids of a batch, one a bag; their rows exceed the caches
  std::vector<Index> ids(count), offsets(ids.size() + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  std::uint64_t state = 1;
  for (Index& id : ids) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    id = (state >> 16) % std::uint64_t(rows);
  }
  std::vector<Index> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const double touched = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
  const Vector<float> gradients = make_vector<float>(context.exec, "tesserec::bench::gradients", count * dim);
  Kokkos::deep_copy(context.exec, gradients, 1e-4f);

  const embedding::EmbeddingBagConfig config = embedding::table_config("bench", rows, dim);
  embedding::Bags bags;
  bags.count = count;
  bags.offsets = offsets.data();
  bags.ids = ids.data();
  embedding::ShardLookups lookups;
  lookups.bags = {{bags}};
  lookups.nodes = {{embedding::subtree_nodes(config.block_of(), {0, embedding::block_count}, bags)}};
  lookups.sums_at = {{0}};
  const BatchSplit split(Lanes(8), 1, count);
  const embedding::RowBatch batch{
      .lookups = {&lookups, 1}, .split = &split, .own_lanes = {0, split.lane_count()}, .gradients = true};
  const std::string suffix = " of " + std::to_string(row_bytes) + " byte rows";
  for (const optim::Type type :
       {optim::Type::sgd, optim::Type::adagrad, optim::Type::rowwise_adagrad, optim::Type::adam}) {
    optim::Settings optimizer;
    optimizer.type = type;
    embedding::EmbeddingTable table(context.exec, {.config = config, .columns = {0, dim}, .optimizer = optimizer});
    table.weights().fill(context.exec, "tesserec::bench::fill", 0.01f);
    Phases phases;
    const auto kernels = embedding::make_row_kernels(Kernels::simd, {{&table}}, phases);
    if (type == optim::Type::sgd) {
      const Vector<float> out = make_vector<float>(context.exec, "tesserec::bench::vectors", count * dim);
      const double seconds = context.seconds([&] { kernels->lookup(context.exec, batch, out.data()); });
      figures.push_back({"rows", "lookup" + suffix, double(count) / seconds, "rows/s",
                         limits.reads_of(double(row_bytes)), "random rows read", 0});
    }
    const std::size_t first = 0;
    const double rate = 1e-6;
    embedding::RowMoves moves{
        .shards = {&first, 1}, .rates = {&rate, 1}, .batch = &batch, .gradients = gradients.data()};
    const double with_sorting = context.seconds([&] {
      ++moves.step;
      kernels->move(context.exec, moves);
    });
    const double sorting = phases.seconds().front().second / double(moves.step);  // "sort ids"
    const double seconds = std::max(with_sorting - sorting, with_sorting / 8);    // a busy machine may sort slowly
    double least = 0;
    if (limits.row_updates[0] > 0) {
      least = 1 / limits.updates_of(double(row_bytes));
      for (const optim::StateInfo& info : optim::states(type))
        least += 1 / limits.updates_of(info.per_row ? 4.0 : double(row_bytes));
    }
    figures.push_back({"rows", std::string("update by ") + name_of(type) + suffix, touched / seconds, "rows/s",
                       least > 0 ? 1 / least : 0, "random rows updated", 0});
  }
}

}  // namespace tesserec::bench
