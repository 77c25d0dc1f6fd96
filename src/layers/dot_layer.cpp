// SPDX-License-Identifier: Apache-2.0
// Dot interaction of DLRM (Naumov et al., arXiv 1906.00091), in the reference's order
// [z0, z1.z0, z2.z0, z2.z1, z3.z0, ...]: z0, then the strictly lower triangle of Z Z^T by rows. `itself` includes the
// diagonal. A host runs SIMD kernels (products/dots.hpp), a device one team per sample (dot_teams.hpp).
#include <algorithm>
#include <vector>

#include "dot_teams.hpp"
#include "makers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::layers {
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

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Buffers>(); }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    if (where.is_thread()) return on_thread(batch, out);
    const DotTeams dots = teams(where, batch);
    over_teams<DotTeams::members, 1>(where.device(), "tesserec::layers::dot", batch.rows, dots.scratch(),
                                     DotForward{dots, out});
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    if (where.is_thread()) return backward_on_thread(batch, upstream, input_gradients);
    const DotTeams dots = teams(where, batch);
    const Rows<float>* const to = own<Buffers>(batch).to.send(where, vectors_of<float>(input_gradients));
    over_teams<DotTeams::members, 1>(where.device(), "tesserec::layers::dot_back", batch.rows, dots.scratch(),
                                     DotBackward{dots, upstream, to});
  }

 private:
  struct Buffers : Workspace {
    LoopBuffer<float> scratch, vectors, gradients;  // the last two hold copies in the kernel's layout
    LoopList<Rows<const float>> from;               // [vectors], on a device only
    LoopList<Rows<float>> to;
  };

  void on_thread(const Batch& batch, Rows<float> out) const {
    Buffers& own = this->own<Buffers>(batch);
    const products::DotKernels& kernels = products::dot_kernels();
    const products::DotVectors<const float> z = operands<const float>(batch.rows, batch.inputs, own.vectors);
    if (!is_kernel_layout(batch.inputs))
      for_each_vector<const float>(batch.rows, batch.inputs, own.vectors, [&](Rows<const float> from, Rows<float> to) {
        copy_rows({}, batch.rows, from, to);
      });
    own.scratch.reserve({}, "tesserec::layers::dot", kernels.scratch(shape_));
    kernels.forward(shape_, batch.rows, z, out.data, own.scratch.data());
  }
  void backward_on_thread(const Batch& batch, Rows<const float> upstream,
                          std::span<const Rows<float>> gradients) const {
    Buffers& own = this->own<Buffers>(batch);
    const products::DotVectors<const float> z = operands<const float>(batch.rows, batch.inputs, own.vectors);
    const products::DotVectors<float> dz = operands<float>(batch.rows, gradients, own.gradients);
    products::dot_kernels().backward(shape_, batch.rows, z, upstream.data, dz, own.scratch.data());
    if (!is_kernel_layout(gradients))
      for_each_vector<float>(batch.rows, gradients, own.gradients, [&](Rows<float> to, Rows<const float> from) {
        if (to.data != nullptr) copy_rows({}, batch.rows, from, to);
      });
  }
  DotTeams teams(const Where& where, const Batch& batch) const {
    DotTeams dots(shape_);
    dots.inputs = own<Buffers>(batch).from.send(where, vectors_of<const float>(batch.inputs));
    return dots;
  }

  Index pairs() const { return shape_.vectors * (shape_.vectors - 1) / 2 + (shape_.itself ? shape_.vectors : 0); }
  /// Lists the vectors that lie side by side in the inputs.
  template <class Number, class Inputs>
  std::vector<Rows<Number>> vectors_of(const Inputs& inputs) const {
    std::vector<Rows<Number>> all;
    for (const Rows<Number>& input : inputs)
      for (Index at = 0; at < input.width; at += shape_.dim)
        all.push_back({input.data == nullptr ? nullptr : input.data + at, shape_.dim, input.stride});
    return all;
  }
  /// Returns whether the inputs are the first vector and all others side by side, contiguous and so read in place.
  template <class Inputs>
  bool is_kernel_layout(const Inputs& inputs) const {
    return inputs.size() == 2 && inputs[0].width == shape_.dim &&
           std::all_of(inputs.begin(), inputs.end(),
                       [](const auto& rows) { return rows.data != nullptr && rows.stride == rows.width; });
  }
  /// Returns the inputs in place if they have the kernel's layout, else memory for their copies.
  template <class Number, class Inputs>
  products::DotVectors<Number> operands(Index rows, const Inputs& inputs, LoopBuffer<float>& copies) const {
    if (is_kernel_layout(inputs)) return {inputs[0].data, inputs[1].data};
    float* const all = copies.reserve({}, "tesserec::layers::dot", rows * shape_.vectors * shape_.dim);
    return {all, all + rows * shape_.dim};
  }
  /// Calls body(vector of an input, its rows in `copies`) for each vector.
  template <class Number, class Inputs, class Body>
  void for_each_vector(Index rows, const Inputs& inputs, const LoopBuffer<float>& copies, const Body& body) const {
    const Index dim = shape_.dim, others = (shape_.vectors - 1) * dim;
    const std::vector<Rows<Number>> all = vectors_of<Number>(inputs);
    body(all[0], {copies.data(), dim, dim});
    for (Index v = 1; v < shape_.vectors; ++v) body(all[v], {copies.data() + rows * dim + (v - 1) * dim, dim, others});
  }

  products::DotShape shape_;
};

}  // namespace

std::unique_ptr<Layer> make_dot(const LayerSettings& settings, const InputShapes& inputs) {
  std::vector<Index> dims;
  std::vector<std::string> names;
  for (const InputShape& input : inputs)
    for (std::size_t v = 0; v < input.vectors.size(); ++v) {
      names.push_back(v < input.names.size() ? input.names[v] : std::to_string(dims.size()));
      dims.push_back(input.vectors[v]);
    }
  if (dims.empty()) fail("a dot needs at least one input, but has none");
  for (std::size_t v = 1; v < dims.size(); ++v)
    if (dims[v] != dims[0])
      fail("the vectors of a dot must have one dimension, but ", names[0], " has ", counted(dims[0], "number"), " and ",
           names[v], " has ", dims[v], "; use a cat, or one dimension");
  return std::make_unique<DotLayer>(std::ssize(dims), dims[0], settings.itself);
}

}  // namespace tesserec::layers
