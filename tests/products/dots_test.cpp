// SPDX-License-Identifier: Apache-2.0
// Dot interactions of numbers of samples that fill no vector register: no access behind the last sample.
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "catch.hpp"
#include <tesserec/core/index.hpp>
#include <tesserec/products/dots.hpp>

using namespace tesserec;
using namespace tesserec::products;

namespace {

/// Floats whose end is the end of the memory that the process may access.
class FloatsAtEnd {
 public:
  explicit FloatsAtEnd(Index size) {
    const Index page = sysconf(_SC_PAGESIZE), used = (size * Index{sizeof(float)} + page - 1) / page * page;
    bytes_ = std::size_t(used + page);
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory_ != MAP_FAILED);
    REQUIRE(mprotect(static_cast<char*>(memory_) + used, std::size_t(page), PROT_NONE) == 0);
    data_ = reinterpret_cast<float*>(static_cast<char*>(memory_) + used) - size;
    for (Index i = 0; i < size; ++i) data_[i] = float((i * 7 + size) % 5 - 2);
  }
  FloatsAtEnd(const FloatsAtEnd&) = delete;
  FloatsAtEnd& operator=(const FloatsAtEnd&) = delete;
  ~FloatsAtEnd() { munmap(memory_, bytes_); }
  float* data() const { return data_; }

 private:
  void* memory_;
  std::size_t bytes_;
  float* data_;
};

}  // namespace

TEST_CASE("dot_kernels: nothing behind the last sample is read or written") {
  for (const Index dim : {16, 20, 36})
    for (const Index rows : {1, 5, 17}) {
      INFO(dim << " columns, " << rows << " samples");
      const DotShape shape{7, dim, false};
      const Index others = shape.vectors - 1, pairs = shape.vectors * others / 2, width = dim + pairs;
      const FloatsAtEnd first(rows * dim), rest(rows * others * dim), out(rows * width), upstream(rows * width);
      const FloatsAtEnd first_gradient(rows * dim), rest_gradient(rows * others * dim);
      std::vector<float> scratch(std::size_t(dot_kernels().scratch(shape)));
      const auto z = [&](Index r, Index i) {
        return i == 0 ? first.data() + r * dim : rest.data() + (r * others + i - 1) * dim;
      };
      dot_kernels().forward(shape, rows, {first.data(), rest.data()}, out.data(), scratch.data());
      dot_kernels().backward(shape, rows, {first.data(), rest.data()}, upstream.data(),
                             {first_gradient.data(), rest_gradient.data()}, scratch.data());
      for (Index r = 0; r < rows; ++r)
        for (Index i = 0; i < shape.vectors; ++i) {
          std::vector<float> gradient(std::size_t(dim), 0.0f);  // whole numbers: exact in any order
          for (Index j = 0; j < shape.vectors; ++j) {
            if (i == j) continue;
            const Index pair = dim + (i > j ? i * (i - 1) / 2 + j : j * (j - 1) / 2 + i);
            float product = 0;
            for (Index c = 0; c < dim; ++c) {
              product += z(r, i)[c] * z(r, j)[c];
              gradient[std::size_t(c)] += upstream.data()[r * width + pair] * z(r, j)[c];
            }
            REQUIRE(out.data()[r * width + pair] == product);
          }
          for (Index c = 0; i == 0 && c < dim; ++c) gradient[std::size_t(c)] += upstream.data()[r * width + c];
          const float* const got =
              i == 0 ? first_gradient.data() + r * dim : rest_gradient.data() + (r * others + i - 1) * dim;
          REQUIRE(std::vector<float>(got, got + dim) == gradient);
        }
    }
}
