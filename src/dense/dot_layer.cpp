// SPDX-License-Identifier: Apache-2.0
// The dot interaction of DLRM (Naumov et al., arXiv 1906.00091), in the order of the reference:
// [z0, z1.z0, z2.z0, z2.z1, z3.z0, ...]: the strictly lower triangle of Z Z^T by rows; `itself`: with its diagonal.
#include <algorithm>
#include <vector>

#include "device_layers.hpp"
#include "kernels.hpp"
#include "layers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::dense {
namespace {

class DotLayer final : public Layer {
 public:
  DotLayer(Index vectors, Index dim, bool itself) : shape_{vectors, dim, itself} {}

  Index width() const override { return shape_.dim + pairs(); }
  std::string describe() const override {
    return concat(shape_.vectors, " vectors of ", shape_.dim, shape_.itself ? ", each with itself too, " : ", ",
                  width(), " wide");
  }
  Flops flops() const override {
    const double products = 2.0 * double(pairs() * shape_.dim);
    return {products, 2 * products, 0};
  }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace(const Exec& exec, Index rows) const override {
    auto made = std::make_unique<Buffers>();
    made->scratch = make_vector<float>(exec, "tesserec::dense::dot_scratch", kernels().dots_scratch(shape_));
    made->size = rows * shape_.vectors * shape_.dim;
    return made;
  }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    Buffers& own = buffers(chunk);
    if (!lie_as_the_kernel_reads(chunk.inputs)) {
      own.vectors.resize(own.size);
      each(chunk.rows, chunk.inputs, own.vectors,
           [&](Rows<const float> from, Rows<float> to) { copy_rows(chunk.rows, from, to); });
    }
    const Operands z = operands(chunk, own);
    kernels().dots_forward(shape_, chunk.rows, z.first, z.others, out.data, own.scratch.data());
  }

  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    Buffers& own = buffers(chunk);
    const Operands z = operands(chunk, own);
    const bool in_place = lie_as_the_kernel_reads(input_gradients);
    if (!in_place) own.gradients.resize(own.size);
    float* const first = in_place ? input_gradients[0].data : own.gradients.data();
    float* const others = in_place ? input_gradients[1].data : first + chunk.rows * shape_.dim;
    kernels().dots_backward(shape_, chunk.rows, {z.first, z.others}, upstream.data, {first, others},
                            own.scratch.data());
    if (!in_place)
      each(chunk.rows, input_gradients, own.gradients, [&](Rows<float> to, Rows<const float> from) {
        if (to.data != nullptr) copy_rows(chunk.rows, from, to);
      });
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return dot_on_device(shape_); }

 private:
  struct Buffers : Workspace {
    Vector<float> scratch;
    Index size = 0;
    std::vector<float> vectors, gradients;  // where they lie otherwise than the kernel reads
  };
  struct Operands {
    const float *first, *others;  // [rows, dim], [rows, (vectors - 1) dim]
  };
  static Buffers& buffers(const Chunk& chunk) { return *static_cast<Buffers*>(chunk.workspace); }

  Index pairs() const { return shape_.vectors * (shape_.vectors - 1) / 2 + (shape_.itself ? shape_.vectors : 0); }
  Operands operands(const Chunk& chunk, const Buffers& own) const {
    if (lie_as_the_kernel_reads(chunk.inputs)) return {chunk.inputs[0].data, chunk.inputs[1].data};
    return {own.vectors.data(), own.vectors.data() + chunk.rows * shape_.dim};
  }
  /// A vector, and all others side by side: then nothing is copied.
  template <class Numbers>
  bool lie_as_the_kernel_reads(std::span<const Rows<Numbers>> inputs) const {
    return inputs.size() == 2 && inputs[0].width == shape_.dim &&
           std::all_of(inputs.begin(), inputs.end(),
                       [](const auto& rows) { return rows.data != nullptr && rows.stride == rows.width; });
  }
  /// body(a vector of an input, its place in `vectors`), for all of them.
  template <class Numbers, class Body>
  void each(Index rows, std::span<const Rows<Numbers>> inputs, std::vector<float>& vectors, const Body& body) const {
    const Index dim = shape_.dim, others = (shape_.vectors - 1) * dim;
    Index v = 0;
    for (const Rows<Numbers>& input : inputs)
      for (Index at = 0; at < input.width; at += dim, ++v) {
        float* const place = vectors.data() + (v == 0 ? 0 : rows * dim + (v - 1) * dim);
        body({input.data == nullptr ? nullptr : input.data + at, dim, input.stride},
             {place, dim, v == 0 ? dim : others});
      }
  }

  DotShape shape_;
};

}  // namespace

std::unique_ptr<Layer> make_dot(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  std::vector<Index> dims;
  std::vector<std::string> names;
  for (const InputShape& input : inputs)
    for (std::size_t v = 0; v < input.vectors.size(); ++v) {
      names.push_back(v < input.names.size() ? input.names[v] : std::to_string(dims.size()));
      dims.push_back(input.vectors[v]);
    }
  if (dims.empty()) fail("a dot has at least one input");
  for (std::size_t v = 1; v < dims.size(); ++v)
    if (dims[v] != dims[0])
      fail("the vectors of a dot have one dimension, but ", names[0], " has ", dims[0], " numbers and ", names[v],
           " has ", dims[v], "; use a cat, or one dimension");
  return std::make_unique<DotLayer>(std::ssize(dims), dims[0], settings.itself);
}

}  // namespace tesserec::dense
