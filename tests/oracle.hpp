// SPDX-License-Identifier: Apache-2.0
// A serial and slow specification of the numbers that a training step computes and the order of its additions. It
// follows the definitions (src/core/README.md, src/embedding/README.md), not the program.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

namespace oracle {

using Row = std::vector<float>;
using Sum = std::optional<Row>;  // an absent summand adds nothing

inline Sum plus(const Sum& a, const Sum& b) {
  if (!a) return b;
  if (!b) return a;
  Row c(a->size());
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = (*a)[i] + (*b)[i];
  return c;
}

/// Returns the sum by the fixed binary tree over leaves [begin, end), a power of two of them.
inline Sum tree(const std::vector<Sum>& leaves, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return leaves[begin];
  const std::size_t middle = (begin + end) / 2;
  return plus(tree(leaves, begin, middle), tree(leaves, middle, end));
}

inline void add_product(Sum& sum, float w, const Row& x) {
  if (!sum) sum = Row(x.size(), 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) (*sum)[i] = std::fma(w, x[i], (*sum)[i]);
}

struct Bag {
  std::vector<long> ids;
  std::vector<float> weights;  // empty = 1
  float weight(std::size_t i) const { return weights.empty() ? 1.0f : weights[i]; }
};

/// Returns a bag's pooled vector: 1024 blocks of ceil(rows / 1024) rows; in a block in bag order, blocks by the tree.
/// The mean divides once, at the end.
inline Row pool(const std::vector<Row>& table, const Bag& bag, bool mean) {
  const long rows_per_block = (static_cast<long>(table.size()) + 1023) / 1024;
  std::vector<Sum> blocks(1024);
  for (std::size_t i = 0; i < bag.ids.size(); ++i)
    add_product(blocks[bag.ids[i] / rows_per_block], bag.weight(i), table[bag.ids[i]]);
  const Sum sum = tree(blocks, 0, 1024);
  Row pooled = sum ? *sum : Row(table[0].size(), 0.0f);
  if (mean && sum)
    for (float& x : pooled) x /= static_cast<float>(bag.ids.size());
  return pooled;
}

/// Returns the gradients of all rows: by lane, sample, feature, position; lanes by the tree. upstream[feature][sample]
/// is the gradient of the pooled vector of bags[feature][sample], or, if unpooled[feature], those of all its ids.
inline std::vector<Sum> row_gradients(std::size_t rows, const std::vector<std::vector<Bag>>& bags,
                                      const std::vector<std::vector<Row>>& upstream, bool mean, std::size_t lanes,
                                      const std::vector<bool>& unpooled = {}) {
  const std::size_t n = bags[0].size();
  std::vector<std::vector<Sum>> by_lane(rows);  // allocated only for touched rows
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (std::size_t s = lane * n / lanes; s < (lane + 1) * n / lanes; ++s)
      for (std::size_t f = 0; f < bags.size(); ++f) {
        const Bag& bag = bags[f][s];
        Row gradient = upstream[f][s];
        const bool apart = !unpooled.empty() && unpooled[f];
        if (mean && !apart)
          for (float& x : gradient) x /= static_cast<float>(bag.ids.size());
        for (std::size_t i = 0; i < bag.ids.size(); ++i) {
          auto& leaves = by_lane[bag.ids[i]];
          leaves.resize(lanes);
          if (apart) {
            const auto dim = upstream[f][s].size() / bag.ids.size();
            gradient.assign(upstream[f][s].begin() + i * dim, upstream[f][s].begin() + (i + 1) * dim);
          }
          add_product(leaves[lane], bag.weight(i), gradient);
        }
      }
  std::vector<Sum> gradients(rows);
  for (std::size_t r = 0; r < rows; ++r)
    if (!by_lane[r].empty()) gradients[r] = tree(by_lane[r], 0, lanes);
  return gradients;
}

/// Returns the sum of squares over a row: blocks of 4 columns in order, blocks by the tree.
inline float sum_of_squares(const Row& g) {
  std::vector<Sum> blocks((g.size() + 3) / 4);
  for (std::size_t c = 0; c < g.size(); ++c) {
    Sum& block = blocks[c / 4];
    if (!block) block = Row(1, 0.0f);
    (*block)[0] = std::fma(g[c], g[c], (*block)[0]);
  }
  std::size_t leaves = 1;
  while (leaves < blocks.size()) leaves *= 2;
  blocks.resize(leaves);
  return (*tree(blocks, 0, leaves))[0];
}

enum class Optimizer { sgd, adagrad, rowwise_adagrad };

/// Makes one exact step of a touched row. `state` has one number per column (adagrad) or one (row-wise).
inline void move(Optimizer type, float lr, float eps, const Row& g, Row& w, Row& state) {
  if (type == Optimizer::rowwise_adagrad) state[0] += sum_of_squares(g) / static_cast<float>(g.size());
  const float row_rate = lr / (std::sqrt(state[0]) + eps);
  for (std::size_t c = 0; c < w.size(); ++c) {
    if (type == Optimizer::sgd) w[c] = std::fma(-lr, g[c], w[c]);
    if (type == Optimizer::rowwise_adagrad) w[c] = std::fma(-row_rate, g[c], w[c]);
    if (type == Optimizer::adagrad) {
      state[c] = std::fma(g[c], g[c], state[c]);
      w[c] = w[c] - lr * g[c] / (std::sqrt(state[c]) + eps);
    }
  }
}

// The dense half follows in double, sample by sample. Tests compare it within tolerances, because its products come
// from a library.

struct Layer {
  std::vector<std::vector<double>> weight;  // out x in
  std::vector<double> bias;
};
using Mlp = std::vector<Layer>;

/// Returns the outputs of every layer, the input first; ReLU follows each layer, except the last if `linear_last`.
inline std::vector<std::vector<double>> forward(const Mlp& mlp, std::vector<double> x, bool linear_last) {
  std::vector<std::vector<double>> outputs{x};
  for (std::size_t l = 0; l < mlp.size(); ++l) {
    std::vector<double> y = mlp[l].bias;
    for (std::size_t o = 0; o < y.size(); ++o) {
      for (std::size_t i = 0; i < x.size(); ++i) y[o] += mlp[l].weight[o][i] * x[i];
      if (!(linear_last && l + 1 == mlp.size())) y[o] = std::max(y[o], 0.0);
    }
    outputs.push_back(x = y);
  }
  return outputs;
}

/// Returns the reference DLRM's dot interaction: [x, lower triangle by rows].
inline std::vector<double> dot(const std::vector<std::vector<double>>& vectors) {
  std::vector<double> out = vectors[0];
  for (std::size_t i = 1; i < vectors.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < vectors[0].size(); ++c) sum += vectors[i][c] * vectors[j][c];
      out.push_back(sum);
    }
  return out;
}

}  // namespace oracle
