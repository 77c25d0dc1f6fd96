// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>
#include <vector>

#include "catch.hpp"
#include "numbers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/tree.hpp>
#include <tesserec/optim.hpp>

using namespace tesserec;
using namespace tesserec::optim;

namespace {

double mean_square(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return sum / static_cast<double>(x.size());
}

double length(const std::vector<double>& x) { return std::sqrt(mean_square(x) * static_cast<double>(x.size())); }

/// Steps of a row in double by the formulas of src/optim/README.md.
struct RowInDouble {
  std::vector<double> w, a, b;  // a, b: states of each weight
  double row = 0, last = 0;     // states of the row

  void step(const Settings& o, double lr, const std::vector<float>& gradient, int t) {
    const std::size_t n = w.size();
    const bool l2 = o.decay == Decay::l2;
    std::vector<double> g(gradient.begin(), gradient.end()), h = g, u(n);
    for (std::size_t i = 0; i < n; ++i) h[i] += l2 ? o.weight_decay * w[i] : 0;
    const bool lamb = o.type == Type::lamb || o.type == Type::partial_rowwise_lamb;
    const double kept = l2 || lamb ? 1 : 1 - lr * o.weight_decay, added = l2 ? 0 : o.weight_decay;
    const auto mix = [](double beta, double old, double now) { return beta * old + (1 - beta) * now; };
    if (o.type == Type::rowwise_adagrad) row += mean_square(h);
    if (o.type == Type::rowwise_rmsprop || o.type == Type::partial_rowwise_adam || o.type == Type::partial_rowwise_lamb)
      row = mix(o.beta2, row, mean_square(h));
    if (o.type == Type::adam_rowwise_bias) t = int(++row);
    const double lars = o.eta * length(w) / (length(g) + (l2 ? o.weight_decay * length(w) : 0));
    const double gap = last == 0 ? 1 : t - last, shrunk = 1 - std::min(1.0, lr * o.ar_alpha * gap);
    last = t;
    const double correction1 = 1 - std::pow(o.beta1, t), correction2 = 1 - std::pow(o.beta2, t);
    for (std::size_t i = 0; i < n; ++i) switch (o.type) {
        case Type::sgd:
          w[i] = kept * w[i] - lr * h[i];
          break;
        case Type::momentum_sgd:
          a[i] = o.momentum * a[i] + h[i];
          w[i] = kept * w[i] - lr * a[i];
          break;
        case Type::nesterov_sgd:
          a[i] = o.momentum * a[i] + h[i];
          w[i] = kept * w[i] - lr * (h[i] + o.momentum * a[i]);
          break;
        case Type::adagrad:
          a[i] += h[i] * h[i];
          w[i] = kept * w[i] - lr * h[i] / (std::sqrt(a[i]) + o.eps);
          break;
        case Type::rowwise_adagrad:
          w[i] = kept * w[i] - lr * h[i] / (std::sqrt(row) + o.eps);
          break;
        case Type::rowwise_rmsprop:
          w[i] = kept * std::max(o.min_shrinkage, shrunk) * w[i] - lr * h[i] / (std::sqrt(row) + o.eps);
          break;
        case Type::lion: {
          const double c = mix(o.beta1, a[i], h[i]);
          a[i] = mix(o.beta2, a[i], h[i]);
          w[i] = kept * w[i] - lr * (c > 0 ? 1 : c < 0 ? -1 : 0);
          break;
        }
        case Type::lars_sgd:
          a[i] = o.momentum * a[i] + lr * lars * h[i];
          w[i] = kept * w[i] - a[i];
          break;
        default:  // Adam and its kin
          a[i] = mix(o.beta1, a[i], h[i]);
          b[i] = mix(o.beta2, b[i], h[i] * h[i]);
          const bool partial = o.type == Type::partial_rowwise_adam || o.type == Type::partial_rowwise_lamb;
          u[i] = a[i] / correction1 / (std::sqrt((partial ? row : b[i]) / correction2) + o.eps);
          if (lamb) u[i] += added * w[i];
          if (!lamb) w[i] = kept * w[i] - lr * u[i];
      }
    const double ratio = lamb ? length(w) / length(u) : 0;
    for (std::size_t i = 0; i < n; ++i) w[i] -= lr * ratio * u[i];
  }
};

Settings settings_of(Type type, Decay decay, double weight_decay) {
  Settings settings;
  settings.type = type;
  settings.decay = decay;
  settings.weight_decay = weight_decay;
  settings.eps = 1e-3;
  settings.eta = 0.1;
  settings.ar_alpha = 5;
  settings.min_shrinkage = 0.8;
  return settings;
}

/// A row with its states, which start at 0.
struct Held {
  std::vector<float> w;
  std::vector<std::vector<float>> states;

  Held(std::vector<float> start, Type type) : w(std::move(start)) {
    for (const StateInfo& info : optim::states(type)) states.emplace_back(info.per_row ? 1 : w.size(), 0.0f);
  }
  Row row(const float* gradient, Range columns, Index dim) {
    Row result{w.data(), gradient, {}, columns, dim};
    for (std::size_t i = 0; i < states.size(); ++i) result.states[i] = states[i].data();
    return result;
  }
  Row whole(const float* gradient) { return row(gradient, {0, Index(w.size())}, Index(w.size())); }
};

}  // namespace

TEST_CASE("types: stand in the order of Type with names and states of their own") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < types().size(); ++i) {
    const TypeInfo& type = types()[i];
    REQUIRE(type.type == Type(i));
    REQUIRE(names.insert(type.name).second);
    REQUIRE(type.states.size() <= States().size());
    std::set<std::string> states;
    for (const StateInfo& state : type.states) REQUIRE(states.insert(state.name).second);
  }
  REQUIRE(names.size() == 13);
}

TEST_CASE("move_row: moves rows by the formulas with each decay") {
  for (const TypeInfo& type : types())
    for (const Decay decay : {Decay::l2, Decay::decoupled})
      for (const double weight_decay : {0.0, 0.1})
        for (const Index n : {1, 3, 4, 16, 37}) {
          INFO(type.name << ", decay " << int(decay) << " " << weight_decay << ", " << n);
          const Settings settings = settings_of(type.type, decay, weight_decay);
          Held held(numbers(n, 0), type.type);
          RowInDouble expected{{held.w.begin(), held.w.end()}, std::vector<double>(n), std::vector<double>(n)};
          for (const int t : {1, 2, 5, 6}) {
            const double lr = 0.05 / t;
            const std::vector<float> g = numbers(n, 2 * t);
            expected.step(settings, lr, g, t);
            move_row(step_scalars(settings, lr, t), held.whole(g.data()));
          }
          for (Index i = 0; i < n; ++i) REQUIRE(held.w[i] == Approx(expected.w[i]).epsilon(1e-5).margin(4e-6));
        }
}

TEST_CASE("move_row: a row without norm or gradient stays finite") {
  for (const TypeInfo& type : types())
    for (const float start : {0.0f, 1.0f})
      for (const float gradient : {0.0f, 1.0f}) {
        INFO(type.name << ", " << start << ", " << gradient);
        Held held(std::vector<float>(5, start), type.type);
        const std::vector<float> g(5, gradient);
        move_row(step_scalars(settings_of(type.type, Decay::l2, 0), 0.1, 1), held.whole(g.data()));
        for (const float w : held.w) {
          REQUIRE(std::isfinite(w));
          if (gradient != 0) REQUIRE(w < start);
        }
      }
}

TEST_CASE("move: a weight's bits do not depend on its place in the range") {
  const Index n = 101;
  for (const TypeInfo& type : elementwise_types()) {
    Settings settings;
    settings.type = type.type;
    settings.weight_decay = 0.01;
    const StepScalars scalars = step_scalars(settings, 0.1, 3);
    const std::vector<float> g = numbers(n, 2);
    std::vector<float> w = numbers(n, 0), a = numbers(n, 4), b = numbers(n, 6);
    for (std::vector<float>* state : {&a, &b})
      for (float& x : *state) x = std::abs(x);
    std::vector<float> w1 = w, a1 = a, b1 = b;
    move(scalars, w.data(), g.data(), {a.data(), b.data()}, n);
    for (Index i = 0; i < n; ++i) move(scalars, &w1[i], &g[i], {&a1[i], &b1[i]}, 1);
    REQUIRE(w == w1);
    REQUIRE(a == a1);
    REQUIRE(b == b1);
  }
}

TEST_CASE("sum_of_squares: is the fixed tree over blocks of 4 columns") {
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

TEST_CASE("move_columns: columns of several owners move as the whole row with each decay") {
  const Index n = 44;
  const Range owners[] = {{0, 12}, {12, 20}, {20, 44}};
  for (const TypeInfo& type : types())
    for (const Decay decay : {Decay::l2, Decay::decoupled}) {
      INFO(type.name << ", decay " << int(decay));
      const Settings settings = settings_of(type.type, decay, 0.1);
      const std::vector<float> start = numbers(n, 0);
      Held whole(start, type.type);
      std::vector<Held> slices;
      for (const Range& columns : owners)
        slices.emplace_back(std::vector<float>(start.begin() + columns.begin, start.begin() + columns.end), type.type);
      for (const int t : {1, 2, 5}) {
        const StepScalars scalars = step_scalars(settings, 0.05, t);
        const std::vector<float> g = numbers(n, 2 * t);
        move_row(scalars, whole.whole(g.data()));
        const auto slice = [&](int k) { return slices[k].row(g.data() + owners[k].begin, owners[k], n); };
        if (type.row_sums.empty())
          for (int k = 0; k < 3; ++k) move_row(scalars, slice(k));
        std::vector<float> totals;
        for (int round = 0; round < row_rounds(type.type); ++round) {
          const int sums = type.row_sums[round];
          TreeOrder order(whole_tree);
          std::vector<std::vector<float>> slots(sums, std::vector<float>(TreeOrder::max_slots));
          const auto merge = [&](int into, int from) {
            for (std::vector<float>& slot : slots) slot[into] += slot[from];
          };
          for (int k = 0; k < 3; ++k) {
            const std::vector<Index> leaves = column_subtrees(owners[k]);
            std::vector<float> own_sums(leaves.size() * sums);
            sum_columns(scalars, round, slice(k), totals.data(), own_sums.data());
            for (std::size_t i = 0; i < leaves.size(); ++i) {
              const int slot = order.push(leaves[i], merge);
              for (int s = 0; s < sums; ++s) slots[s][slot] = own_sums[s * leaves.size() + i];
            }
          }
          order.finish(merge);
          totals.clear();
          for (const std::vector<float>& slot : slots) totals.push_back(slot[0]);
        }
        if (!totals.empty())
          for (int k = 0; k < 3; ++k) move_columns(scalars, slice(k), totals.data());
      }
      for (int k = 0; k < 3; ++k) {
        const auto cut = [&](const std::vector<float>& all) {
          return std::vector<float>(all.begin() + owners[k].begin, all.begin() + owners[k].end);
        };
        REQUIRE(slices[k].w == cut(whole.w));
        for (std::size_t i = 0; i < type.states.size(); ++i)
          REQUIRE(slices[k].states[i] == (type.states[i].per_row ? whole.states[i] : cut(whole.states[i])));
      }
    }
}
