// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/tree.hpp>
#include <tesserec/optim.hpp>

using namespace tesserec;
using namespace tesserec::optim;

namespace {

std::vector<float> numbers(Index n, Index column) {
  const Random random(6, Purpose::test);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) values[i] = random.normal(i, column);
  return values;
}

/// One step of one weight in double, by the formulas in include/tesserec/optim/optimizer.hpp.
struct Weight {
  double w, s = 0, v = 0;
  void step(const Settings& o, double lr, double g, double mean_square, int t) {
    const double h = o.decay == Decay::l2 ? g + o.weight_decay * w : g;
    const double kept = o.decay == Decay::decoupled ? w - lr * o.weight_decay * w : w;
    if (o.type == Type::sgd) w = kept - lr * h;
    if (o.type == Type::adagrad) s += h * h, w = kept - lr * h / (std::sqrt(s) + o.eps);
    if (o.type == Type::rowwise_adagrad) s += mean_square, w = kept - lr * h / (std::sqrt(s) + o.eps);
    if (o.type == Type::adam) {
      s = o.beta1 * s + (1 - o.beta1) * h;
      v = o.beta2 * v + (1 - o.beta2) * h * h;
      w = kept - lr * s / (1 - std::pow(o.beta1, t)) / (std::sqrt(v / (1 - std::pow(o.beta2, t))) + o.eps);
    }
  }
};

}  // namespace

TEST_CASE("rows move by the formulas, with each decay") {
  for (const Type type : {Type::sgd, Type::adagrad, Type::rowwise_adagrad, Type::adam})
    for (const Decay decay : {Decay::l2, Decay::decoupled})
      for (const double weight_decay : {0.0, 0.1})
        for (const Index n : {1, 3, 4, 16, 37}) {
          Settings settings;
          settings.type = type;
          settings.decay = decay;
          settings.weight_decay = weight_decay;
          settings.eps = 1e-3;
          std::vector<float> row = numbers(n, 0), state0(n, 0.0f), state1(n, 0.0f);
          std::vector<Weight> expected;
          for (const float w : row) expected.push_back({w});
          for (int t = 1; t <= 4; ++t) {
            const double lr = 0.05 / t;
            const std::vector<float> g = numbers(n, 2 * t);
            double mean_square = 0.0;
            for (Index i = 0; i < n; ++i) {
              const double h = g[i] + (decay == Decay::l2 ? weight_decay * expected[i].w : 0.0);
              mean_square += h * h / static_cast<double>(n);
            }
            for (Index i = 0; i < n; ++i) expected[i].step(settings, lr, g[i], mean_square, t);
            move_row(step_scalars(settings, lr, t), row.data(), g.data(), state0.data(), state1.data(), n);
          }
          for (Index i = 0; i < n; ++i) REQUIRE(row[i] == Approx(expected[i].w).epsilon(1e-5).margin(2e-6));
        }
}

TEST_CASE("a weight's bits do not depend on its place in the range") {
  const Index n = 101;
  for (const Type type : {Type::sgd, Type::adagrad, Type::adam}) {
    Settings settings;
    settings.type = type;
    settings.weight_decay = 0.01;
    const StepScalars scalars = step_scalars(settings, 0.1, 3);
    const std::vector<float> g = numbers(n, 2);
    std::vector<float> w = numbers(n, 0), a = numbers(n, 4), b = numbers(n, 6);
    for (std::vector<float>* state : {&a, &b})
      for (float& x : *state) x = std::abs(x);
    std::vector<float> w1 = w, a1 = a, b1 = b;
    move(scalars, w.data(), g.data(), a.data(), b.data(), n);
    for (Index i = 0; i < n; ++i) move(scalars, &w1[i], &g[i], &a1[i], &b1[i], 1);
    REQUIRE(w == w1);
    REQUIRE(a == a1);
    REQUIRE(b == b1);
  }
}

TEST_CASE("the sum over a row's columns is the fixed tree over blocks of 4") {
  for (Index n = 1; n < 150; ++n) {
    const std::vector<float> g = numbers(n, 8);
    TreeOrder order(whole_tree);
    std::vector<float> slot(TreeOrder::max_slots);
    const auto merge = [&](int into, int from) { slot[into] += slot[from]; };
    for (Index block = 0; block * 4 < n; ++block) {
      float sum = 0.0f;
      for (Index i = block * 4; i < std::min(n, block * 4 + 4); ++i) sum = std::fma(g[i], g[i], sum);
      slot[order.push(block, merge)] = sum;
    }
    order.finish(merge);
    REQUIRE(sum_of_squares(g.data(), n) == slot[0]);
  }
}

TEST_CASE("columns of several owners move as the whole row does, with each decay") {
  const Index n = 44;
  for (const Decay decay : {Decay::l2, Decay::decoupled}) {
    Settings settings;
    settings.type = Type::rowwise_adagrad;
    settings.decay = decay;
    settings.weight_decay = 0.1;
    const StepScalars scalars = step_scalars(settings, 0.05, 2);
    const std::vector<float> g = numbers(n, 2), start = numbers(n, 0);
    std::vector<float> whole = start, whole_sum{0.5f};
    move_row(scalars, whole.data(), g.data(), whole_sum.data(), nullptr, n);

    const Range owners[] = {{0, 12}, {12, 20}, {20, 44}};
    TreeOrder order(whole_tree);
    std::vector<float> slot(TreeOrder::max_slots);
    const auto merge = [&](int into, int from) { slot[into] += slot[from]; };
    for (const Range& columns : owners) {
      const std::vector<Index> leaves = column_subtrees(columns);
      std::vector<float> sums(leaves.size());
      column_square_sums(scalars, start.data() + columns.begin, g.data() + columns.begin, columns, sums.data());
      for (std::size_t i = 0; i < leaves.size(); ++i) slot[order.push(leaves[i], merge)] = sums[i];
    }
    order.finish(merge);
    for (const Range& columns : owners) {
      std::vector<float> part(start.begin() + columns.begin, start.begin() + columns.end), sum{0.5f};
      move_columns(scalars, part.data(), g.data() + columns.begin, sum.data(), slot[0], n, columns.size());
      REQUIRE(sum == whole_sum);
      REQUIRE(part == std::vector<float>(whole.begin() + columns.begin, whole.begin() + columns.end));
    }
  }
}

TEST_CASE("the dense optimizer moves every weight of a long vector once") {
  const Index n = 40003;
  Settings settings;
  settings.type = Type::adagrad;
  settings.initial_accumulator = 0.25;
  DenseOptimizer optimizer(Exec(), settings, n);
  REQUIRE(optimizer.state().size() == 1);
  REQUIRE(optimizer.state()[0].name == "sum");
  Vector<float> w = make_vector<float>(Exec(), "tesserec::test::w", n),
                g = make_vector<float>(Exec(), "tesserec::test::g", n);
  const std::vector<float> w0 = numbers(n, 0), g0 = numbers(n, 2);
  std::copy(w0.begin(), w0.end(), w.data());
  std::copy(g0.begin(), g0.end(), g.data());
  optimizer.step(Exec(), w, g, 0.1, 1, {0, n});
  std::vector<float> expected = w0, sum(n, 0.25f);
  move(step_scalars(settings, 0.1, 1), expected.data(), g0.data(), sum.data(), nullptr, n);
  for (Index i = 0; i < n; ++i) REQUIRE(w(i) == expected[i]);
  for (Index i = 0; i < n; ++i) REQUIRE(optimizer.state()[0].values(i) == sum[i]);

  settings.type = Type::rowwise_adagrad;
  REQUIRE_THROWS_AS(DenseOptimizer(Exec(), settings, n), Error);
}
