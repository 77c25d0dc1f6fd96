// SPDX-License-Identifier: Apache-2.0
// Products of layers against the chains of fma in src/products/README.md, bit by bit, so that all instruction sets
// agree. ctest runs this with each instruction set that the machine has.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "catch.hpp"
#include "mlp_alone.hpp"
#include "src/products/panels.hpp"
#include "src/products/plain_vector.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/products.hpp>

using namespace tesserec;
using namespace tesserec::layers;
using namespace tesserec::products;

namespace {

std::vector<float> numbers(std::uint64_t stream, Index n) {
  const Random random(5, Purpose::test, stream);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = random.normal(i, 0);
  return values;
}

float relu(float v) { return v < 0.0f ? 0.0f : v; }

/// Two layers over a chunk, element by element: in -> hidden (relu) -> out.
struct Serial {
  Index rows, in, hidden, out;
  const float *parameters, *x, *upstream;
  std::vector<float> h, y, dh, dx, dw1, db1, dw2, db2;

  const float* w1() const { return parameters; }
  const float* b1() const { return w1() + hidden * in; }
  const float* w2() const { return b1() + hidden; }
  const float* b2() const { return w2() + out * hidden; }

  static std::vector<float> linear(Index rows, Index in, Index out, const float* x, const float* w, const float* b) {
    std::vector<float> y;
    for (Index r = 0; r < rows; ++r)
      for (Index o = 0; o < out; ++o) {
        float sum = b[o];
        for (Index i = 0; i < in; ++i) sum = std::fma(x[r * in + i], w[o * in + i], sum);
        y.push_back(sum);
      }
    return y;
  }
  static std::vector<float> input_gradient(Index rows, Index in, Index out, const float* dy, const float* w) {
    std::vector<float> dx;
    for (Index r = 0; r < rows; ++r)
      for (Index i = 0; i < in; ++i) {
        float sum = 0.0f;
        for (Index o = 0; o < out; ++o) sum = std::fma(dy[r * out + o], w[o * in + i], sum);
        dx.push_back(sum);
      }
    return dx;
  }
  static std::vector<float> weight_gradient(Index rows, Index in, Index out, const float* dy, const float* x) {
    std::vector<float> dw;
    for (Index o = 0; o < out; ++o)
      for (Index i = 0; i < in; ++i) {
        float sum = 0.0f;
        for (Index r = 0; r < rows; ++r) sum = std::fma(dy[r * out + o], x[r * in + i], sum);
        dw.push_back(sum);
      }
    return dw;
  }
  static std::vector<float> sums(Index rows, Index width, const float* dy) {
    std::vector<float> all(static_cast<std::size_t>(width));
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < width; ++c) all[static_cast<std::size_t>(c)] += dy[r * width + c];
    return all;
  }

  void run() {
    h = linear(rows, in, hidden, x, w1(), b1());
    for (float& v : h) v = relu(v);
    y = linear(rows, hidden, out, h.data(), w2(), b2());
    dh = input_gradient(rows, hidden, out, upstream, w2());
    for (std::size_t i = 0; i < dh.size(); ++i) dh[i] = h[i] > 0.0f ? dh[i] : 0.0f;
    dx = input_gradient(rows, in, hidden, dh.data(), w1());
    dw1 = weight_gradient(rows, in, hidden, dh.data(), x);
    dw2 = weight_gradient(rows, hidden, out, upstream, h.data());
    db1 = sums(rows, hidden, dh.data());
    db2 = sums(rows, out, upstream);
  }
};

bool equal(const std::vector<float>& expected, const float* found) {
  return std::equal(expected.begin(), expected.end(), found);
}

}  // namespace

TEST_CASE("Mlp: a chunk through two layers has the bits of the definition") {
  struct Shape {
    Index rows, in, hidden, out;
  };
  for (const Shape s : {Shape{128, 13, 512, 16},
                        {128, 367, 64, 1},
                        {127, 300, 40, 33},
                        {7, 5, 3, 2},
                        {1, 1, 1, 1},
                        {64, 16, 270, 32},
                        {128, 600, 530, 20}}) {
    const Index size = s.hidden * (s.in + 1) + s.out * (s.hidden + 1);
    const std::vector<float> parameters = numbers(1, size), x = numbers(2, s.rows * s.in),
                             upstream = numbers(3, s.rows * s.out);
    Serial serial{s.rows, s.in, s.hidden, s.out, parameters.data(), x.data(), upstream.data(), {}, {}, {}, {},
                  {},     {},   {},       {}};
    serial.run();
    const Index b1 = s.hidden * s.in, w2 = b1 + s.hidden, b2 = w2 + s.out * s.hidden;
    test::MlpAlone mlp({{s.in, s.hidden, 0, b1, Activation::relu}, {s.hidden, s.out, w2, b2, Activation::none}},
                       parameters.data());
    std::vector<float> y(s.rows * s.out), dx(x.size());
    INFO(instruction_set() << ", " << s.rows << " rows, " << s.in << "-" << s.hidden << "-" << s.out);
    mlp.forward(s.rows, x.data(), y.data());
    CHECK(equal(serial.y, y.data()));
    std::vector<float> gradient(static_cast<std::size_t>(size));
    for (const bool add : {false, true}) {
      const std::vector<float> before = gradient;
      mlp.backward(s.rows, add, gradient.data(), upstream.data(), dx.data());
      CHECK(equal(serial.dx, dx.data()));
      const std::pair<Index, const std::vector<float>*> ranges[] = {
          {0, &serial.dw1}, {b1, &serial.db1}, {w2, &serial.dw2}, {b2, &serial.db2}};
      for (const auto& [at, values] : ranges) {
        std::vector<float> expected = *values;
        for (std::size_t i = 0; add && i < expected.size(); ++i)
          expected[i] = before[static_cast<std::size_t>(at) + i] + expected[i];
        CHECK(equal(expected, gradient.data() + at));
      }
    }
  }
}

TEST_CASE("Mlp: a row's bits do not depend on the other rows and NaN passes a relu") {
  const Index in = 70, out = 50;
  const std::vector<float> parameters = numbers(1, out * (in + 1));
  std::vector<float> x = numbers(2, 128 * in);
  test::MlpAlone mlp({{in, out, 0, out * in, Activation::relu}}, parameters.data());
  std::vector<float> y(128 * out);
  const auto forward = [&](Index rows) { mlp.forward(rows, x.data(), y.data()); };
  forward(128);
  const std::vector<float> all = y;
  for (const Index rows : {1, 5, 6, 13, 127}) {
    std::fill(y.begin(), y.end(), 7.0f);
    forward(rows);
    CHECK(std::equal(all.begin(), all.begin() + rows * out, y.begin()));
  }
  x[3] = NAN;
  forward(1);
  CHECK(std::all_of(y.begin(), y.begin() + out, [](float v) { return std::isnan(v); }));
}

TEST_CASE("Tiles: the shape of AVX-512 has the bits of the definition") {
  using Wide = Tiles<PlainVector<16, 12>>;
  const products::KernelSet& k = products::kernels();
  const Index width = 32, rows = 101, a_rows = 105, depth = 300, outs = 40, ins = 1100;
  const std::vector<float> a = numbers(1, a_rows * depth);
  const auto in_panels = [&](Index height, Index n, const std::vector<float>& m) {
    std::vector<float> panels(static_cast<std::size_t>(height * panel_count(n, width) * width));
    to_panels(height, height, width, {m.data(), n, n}, panels.data());
    return panels;
  };
  const auto pa = in_panels(a_rows, depth, a);
  for (const Index columns : {96, 81, 80, 65, 32, 5, 1}) {  // whole panels, two registers, one, one column
    const std::vector<float> b = numbers(2, depth * columns), y = numbers(3, rows * columns),
                             start = numbers(4, columns);
    const auto pb = in_panels(depth, columns, b), py = in_panels(rows, columns, y),
               pstart = in_panels(1, columns, start);
    for (const Epilogue finish : {Epilogue::store, Epilogue::relu, Epilogue::gradient}) {
      std::vector<float> c(py.size()), sums(pstart.size()), total(sums);
      Wide::product({rows, depth, columns, pa.data(), a_rows, pb.data(), pstart.data(), c.data(), finish, py.data(),
                     sums.data()});
      std::vector<float> expected;
      for (Index r = 0; r < rows; ++r)
        for (Index j = 0; j < columns; ++j) {
          float sum = start[static_cast<std::size_t>(j)];
          for (Index i = 0; i < depth; ++i)
            sum =
                std::fma(a[static_cast<std::size_t>(r * depth + i)], b[static_cast<std::size_t>(i * columns + j)], sum);
          if (finish == Epilogue::relu) sum = relu(sum);
          if (finish == Epilogue::gradient) sum = y[static_cast<std::size_t>(r * columns + j)] > 0.0f ? sum : 0.0f;
          if (finish == Epilogue::gradient) total[static_cast<std::size_t>(j)] += sum;
          expected.push_back(sum);
        }
      CHECK(c == in_panels(rows, columns, expected));
      CHECK(sums == total);
    }
  }
  const std::vector<float> dy = numbers(5, rows * outs), x = numbers(6, rows * ins), pdy = in_panels(rows, outs, dy),
                           px = in_panels(rows, ins, x),
                           expected = Serial::weight_gradient(rows, ins, outs, dy.data(), x.data());
  std::vector<float> dw(static_cast<std::size_t>(outs * ins));
  Wide::weight_gradient({rows, outs, ins, pdy.data(), px.data(), false, dw.data()});
  CHECK(dw == expected);
  const char* requested = std::getenv("TESSEREC_INSTRUCTION_SET");
  if (requested != nullptr) CHECK(std::string(k.name) == requested);
}
