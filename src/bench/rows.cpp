// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "parts.hpp"
#include <tesserec/embedding/table.hpp>

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
  const Index count = std::min(Index{1} << 19, rows / 2);  // ids of a batch, one a bag: more bytes than caches have
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

  embedding::EmbeddingBagConfig config;
  config.name = "bench";
  config.num_embeddings = rows;
  config.embedding_dim = dim;
  config.feature_names = {"bench"};
  embedding::Bags bags;
  bags.count = count;
  bags.offsets = offsets.data();
  bags.ids = ids.data();
  const Range all{0, embedding::RowBlocks::count};
  const embedding::Nodes nodes = embedding::subtree_nodes(embedding::RowBlocks(rows), all, bags);
  const std::string of = " of " + std::to_string(row_bytes) + " byte rows";
  for (const optim::Type type :
       {optim::Type::sgd, optim::Type::adagrad, optim::Type::rowwise_adagrad, optim::Type::adam}) {
    optim::Settings optimizer;
    optimizer.type = type;
    embedding::EmbeddingTable table(context.exec, config, all, {0, dim}, optimizer, embedding::ComputeKernel::fused);
    table.weights().fill(context.exec, "tesserec::bench::fill", 0.01f);
    if (type == optim::Type::sgd) {
      const Vector<float> out = make_vector<float>(context.exec, "tesserec::bench::vectors", count * dim);
      const double seconds = context.seconds([&] { table.lookup(context.exec, bags, nodes, out.data()); });
      figures.push_back({"rows", "lookup" + of, double(count) / seconds, "rows/s", limits.reads_of(double(row_bytes)),
                         "random rows read", 0});
    }
    table.prepare({{bags}}, BatchSplit(Lanes(8), 1, count));
    Index step = 0;
    const double seconds = context.seconds([&] { table.update(context.exec, gradients.data(), 1e-6, ++step); });
    double least = 0;
    if (limits.row_updates[0] > 0) {
      least = 1 / limits.updates_of(double(row_bytes));
      for (const optim::StateInfo& info : optim::states(type))
        least += 1 / limits.updates_of(info.per_row ? 4.0 : double(row_bytes));
    }
    figures.push_back({"rows", std::string("update by ") + name_of(type) + of, touched / seconds, "rows/s",
                       least > 0 ? 1 / least : 0, "random rows updated", 0});
  }
}

}  // namespace tesserec::bench
