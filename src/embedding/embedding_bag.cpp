// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "simd_shard.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/embedding/embedding_bag.hpp>

namespace tesserec::embedding {
namespace {

constexpr Range whole{0, block_count};

void lookup(const Exec& exec, const EmbeddingTable& table, const Bags& bags, const Nodes& nodes, float* out) {
  parallel_for(exec, "tesserec::embedding::lookup", lookup_tasks(bags),
               [&](Index task) { lookup(table, task, bags, nodes, out); });
}

}  // namespace

EmbeddingBag::EmbeddingBag(const Exec& exec, const EmbeddingBagConfig& config)
    : table_(exec, {.config = config, .columns = {0, config.embedding_dim}}) {}

Matrix<float> EmbeddingBag::forward(const Exec& exec, std::span<const Index> input, std::span<const Index> offsets,
                                    std::span<const float> weights) const {
  const auto refuse = [&](const auto&... message) { fail("table ", config().name, ": ", message...); };
  if (offsets.empty() && !input.empty())
    refuse("offsets is empty, but the input has ", counted(std::ssize(input), "id"), "; give the offset of each bag");
  const auto count = std::ssize(offsets), ids = std::ssize(input);
  std::vector<Index> ends(offsets.begin(), offsets.end());
  ends.push_back(ids);
  if (ends[0] != 0) refuse("the first offset is ", ends[0], "; set it to 0");
  for (Index b = 0; b < count; ++b)
    if (ends[b + 1] < ends[b])
      refuse("bag ", b, " starts at ", ends[b], ", but ends at ", ends[b + 1], "; sort the offsets");
  for (Index b = 0; b < count; ++b)
    for (Index i = ends[b]; i < ends[b + 1]; ++i)
      if (!config().takes(input[i]))
        refuse("bag ", b, ": id ", input[i], " is outside its rows 0 to ", config().ids() - 1);
  if (config().weighted && weights.size() != input.size())
    refuse("the input has ", counted(std::ssize(weights), "weight"), " for ", counted(ids, "id"), "; give one per id");
  if (!config().weighted && !weights.empty())
    refuse("the input has ", counted(std::ssize(weights), "weight"),
           ", but the table is not weighted; omit them, or set weighted");

  Matrix<float> out =
      make_matrix<float>(exec, "tesserec::embedding::bags " + config().name, count, config().embedding_dim);
  const float* const of_ids = config().weighted ? weights.data() : nullptr;
  forward(exec, {.count = count, .offsets = ends.data(), .ids = input.data(), .weights = of_ids}, out.data(),
          config().embedding_dim);
  return out;
}

void EmbeddingBag::forward(const Exec& exec, const Bags& of_ids, float* out, Index stride) const {
  Bags bags = of_ids;
  std::vector<Index> rows;
  if (config().half) {
    rows.resize(bags.offsets[bags.count]);
    for (Index i = bags.offsets[0]; i < bags.offsets[bags.count]; ++i) rows[i] = config().row(of_ids.ids[i]);
    bags.ids = rows.data();
  }
  const Nodes nodes = subtree_nodes(table_.block_of(), whole, bags);
  const Index dim = config().embedding_dim;
  if (bags.unpooled) {
    lookup(exec, table_, bags, nodes, out);
    return;
  }
  const Vector<float> sums = make_vector<float>(exec, "tesserec::embedding::bag_sums", nodes.begin(bags.count) * dim);
  lookup(exec, table_, bags, nodes, sums.data());
  const bool mean = config().pooling == PoolingType::mean;
  for (Index b = 0; b < bags.count; ++b, out += stride) {
    const Index length = bags.length(b);
    if (length == 0) {
      std::fill_n(out, dim, 0.0f);
      continue;
    }
    const float* sum = sums.data() + nodes.begin(b) * dim;
    const float divisor = mean ? length : 1;
    for (Index c = 0; c < dim; ++c) out[c] = sum[c] / divisor;
  }
}

}  // namespace tesserec::embedding
