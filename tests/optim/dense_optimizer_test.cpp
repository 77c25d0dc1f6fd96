// SPDX-License-Identifier: Apache-2.0
// DenseOptimizer on one flat vector of parameters.
#include <algorithm>

#include "catch.hpp"
#include "numbers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/optim.hpp>

using namespace tesserec;
using namespace tesserec::optim;

TEST_CASE("DenseOptimizer: limits gradients by max_gradient") {
  const Index n = 20000;
  Settings settings;
  settings.max_gradient = 0.5;
  DenseOptimizer optimizer(Exec(), settings, n);
  Vector<float> w = make_vector<float>(Exec(), "tesserec::test::w", n),
                g = make_vector<float>(Exec(), "tesserec::test::g", n);
  std::fill_n(w.data(), n, 0.0f);
  const std::vector<float> g0 = numbers(n, 2);
  std::copy(g0.begin(), g0.end(), g.data());
  optimizer.step(Exec(), w, g, 1.0, 1, {0, n});
  for (Index i = 0; i < n; ++i) REQUIRE(w(i) == -std::clamp(g0[i], -0.5f, 0.5f));
}

TEST_CASE("DenseOptimizer: moves every weight of a long vector once") {
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
  move(step_scalars(settings, 0.1, 1), expected.data(), g0.data(), {sum.data()}, n);
  for (Index i = 0; i < n; ++i) REQUIRE(w(i) == expected[i]);
  for (Index i = 0; i < n; ++i) REQUIRE(optimizer.state()[0].values.host()(i) == sum[i]);

  settings.type = Type::rowwise_adagrad;
  REQUIRE_THROWS_AS(DenseOptimizer(Exec(), settings, n), Error);
}

TEST_CASE("DenseOptimizer: lamb and lars_sgd move a tensor as one row for any borders of ranks") {
  const Index n = 3000;
  const std::vector<Range> tensors{{0, 1000}, {1008, 1009}, {1024, 3000}};
  const std::vector<float> w0 = numbers(n, 0), g0 = numbers(n, 2);
  for (const Type type : {Type::lamb, Type::lars_sgd})
    for (const float scale : {0.5f, 1.0f}) {
      INFO(info(type).name << ", scale " << scale);
      Settings settings;
      settings.type = type;
      settings.weight_decay = 0.1;
      settings.max_gradient = 1.5;
      DenseOptimizer optimizer(Exec(), settings, n, nullptr, tensors);
      Vector<float> w = make_vector<float>(Exec(), "tesserec::test::w", n),
                    g = make_vector<float>(Exec(), "tesserec::test::g", n);
      std::copy(w0.begin(), w0.end(), w.data());
      std::copy(g0.begin(), g0.end(), g.data());
      for (Index step = 1; step <= 3; ++step)
        for (const Range range : {Range{0, 1008}, {1008, 2000}, {2000, n}})
          optimizer.step(Exec(), w, g, 0.1, step, range, scale);

      std::vector<float> expected = w0, states[2] = {std::vector<float>(n), std::vector<float>(n)}, limited(n);
      for (Index i = 0; i < n; ++i) limited[i] = std::clamp(scale * g0[i], -1.5f, 1.5f);
      for (Index step = 1; step <= 3; ++step)
        for (const auto [begin, end] : tensors)
          move_row(step_scalars(settings, 0.1, step), {expected.data() + begin,
                                                       limited.data() + begin,
                                                       {states[0].data() + begin, states[1].data() + begin},
                                                       {0, end - begin},
                                                       end - begin});
      Index wrong = 0;
      for (Index i = 0; i < n; ++i) wrong += w(i) != expected[i];
      CHECK(wrong == 0);
      CHECK(w(500) != w0[500]);
      CHECK(w(1004) == w0[1004]);  // between two tensors
    }
}

TEST_CASE("DenseOptimizer: every type has the same bits on a device and on the host") {
  const Exec exec;
  const Index n = 70000;
  // The tensors have one number, blocks that are not full, and more leaves than two levels of the tree add.
  const std::vector<Range> tensors{{0, 1}, {4, 7}, {16, 21}, {32, 32 + 128}, {160, 160 + 133}, {296, n}};
  const std::vector<float> w0 = numbers(n, 0), g0 = numbers(n, 2);
  for (const TypeInfo& type : tensor_types())
    for (const float bound : {0.0f, 0.7f}) {
      INFO(type.name << ", max_gradient " << bound);
      Settings settings;
      settings.type = type.type;
      settings.weight_decay = 0.1;
      settings.max_gradient = bound;
      settings.initial_accumulator = 0.25;
      std::vector<std::vector<float>> ends[2];
      for (const Place place : {Place::host, Place::device}) {
        DenseOptimizer optimizer(exec, settings, n, nullptr, tensors, place);
        const PlacedVector<float> w(exec, place, "tesserec::test::w", n), g(exec, place, "tesserec::test::g", n);
        w.from_host(exec, w0), g.from_host(exec, g0);
        for (Index step = 1; step <= 3; ++step) optimizer.step(exec, w, g, 0.1, step, {0, n}, 0.5f);
        auto& end = ends[int(place)];
        end.push_back(w.to_host(exec));
        for (const auto& state : optimizer.state()) end.push_back(state.values.to_host(exec));
      }
      CHECK(ends[0] == ends[1]);
      CHECK(ends[0][0] != w0);
    }
}
