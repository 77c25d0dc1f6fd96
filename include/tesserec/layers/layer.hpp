// SPDX-License-Identifier: Apache-2.0
/// Layers of a network, which map numbers of each sample to numbers of each sample, a batch at a time. The loops are
/// written once (core/loops.hpp). On a host a thread processes a chunk of samples; on a device one call processes a
/// rank's whole batch.
#pragma once

#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <tesserec/core/rows.hpp>

namespace tesserec::products {
class Products;
}

namespace tesserec::layers {

/// Input of a layer: one row per sample, or the vectors of a sequence.
struct LayerInput : Rows<const float> {
  Lengths lengths = {};
  bool is_sequence() const { return lengths.offsets != nullptr; }
};

/// Shape of an input: vectors side by side in one row, or a sequence of vectors.
struct InputShape {
  std::vector<Index> vectors;
  std::vector<std::string> names = {};  ///< names of the vectors, for messages
  bool sequence = false;
  double length = 1;         ///< mean number of a sequence's vectors per sample
  std::string lengths = {};  ///< feature that has as many ids as a sequence has vectors
  /// Returns the name for messages.
  std::string name() const { return names.empty() ? "an input" : names.front(); }
  /// Returns the total width of the vectors.
  Index width() const { return std::accumulate(vectors.begin(), vectors.end(), Index{0}); }
};

/// Distribution of the start values of a tensor [rows, columns] (Naumov et al.'s code).
///   weight  N(0, sqrt(2 / (rows + columns)))
///   bias    N(0, sqrt(1 / rows))
///   zero, one: constants
enum class Start { weight, bias, zero, one };

/// Learned tensor. `offset` is its first float, a multiple of 16. The gap before the next tensor stays zero.
struct Parameter {
  std::string name;
  Index rows = 0;
  Index columns = 0;
  Index offset = 0;
  Start start = Start::weight;
};

/// Appends a tensor at float `size` and returns its offset. Rounds the new `size` up to a multiple of 16.
inline Index place(std::vector<Parameter>& tensors, Index& size, std::string name, Index rows, Index columns,
                   Start start) {
  constexpr Index line = 16;  // floats of a cache line
  tensors.push_back({std::move(name), rows, columns, size, start});
  size = (size + rows * columns + line - 1) / line * line;
  return tensors.back().offset;
}

/// FLOPs per sample. Backward costs `backward`, plus `inputs` if the inputs' gradients are wanted.
struct Flops {
  double forward = 0;
  double inputs = 0;
  double backward = 0;
};

/// Layer of a network. Threads call its const functions concurrently; the state of a batch lives in the Workspace.
class Layer {
 public:
  virtual ~Layer() = default;

  /// Returns the width of a sample's output, or of one vector of an output sequence.
  virtual Index width() const = 0;
  /// Returns the shape for people, such as "13-512-256-64-16".
  virtual std::string describe() const = 0;
  /// Returns the FLOPs per sample.
  virtual Flops flops() const = 0;
  /// Returns whether matrix products dominate the layer's time.
  virtual bool multiplies_matrices() const { return true; }
  /// Returns whether the output is a sequence, with one vector for each vector of the first input that is a sequence.
  virtual bool gives_sequence() const { return false; }
  /// Returns whether the layer runs its own loops over host memory, so that no device can run it.
  virtual bool is_host_only() const { return false; }
  /// Returns whether the layer's launches depend on Draw.
  virtual bool draws() const { return false; }

  /// Returns the layer's tensors, whose offsets count in a block of `size()` floats of its own.
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// Returns the floats of the layer's parameters, gaps included.
  Index size() const { return size_; }

  /// Returns the floats of the packed parameters: the layout that a host's products read, shared by all threads.
  virtual Index packed_size() const { return 0; }
  /// Packs the parameters into `packed` [packed_size()], after each change of the parameters. Without `backward` it
  /// packs only the operands of forward(). Ranks may pack together: `range` selects the panels whose first weight lies
  /// in it.
  virtual void pack(const Exec&, const float* /*parameters*/, bool /*backward*/, float* /*packed*/,
                    Range /*range*/) const {}

  /// Makes the buffers that a batch needs between forward() and backward(). Returns null if the layer needs none.
  virtual std::unique_ptr<Workspace> make_workspace() const { return nullptr; }

  /// Position of a batch in training, for layers that draw random numbers.
  struct Draw {
    bool training = false;
    std::uint64_t seed = 0;
    Index layer = 0;         ///< index of the layer in the network
    Index step = 0;          ///< number of the step, from 1
    Index first_sample = 0;  ///< index of the batch's first sample in the global batch
  };

  /// Batch at one Where, in memory that the loops of that Where can read. Outputs and their gradients are row-major
  /// with stride width().
  struct Batch {
    Index rows = 0;  ///< number of samples
    Pieces chunks = {};
    std::span<const LayerInput> inputs = {};
    const float* parameters = nullptr;
    const float* packed = nullptr;           ///< packed parameters, on a host only
    products::Products* products = nullptr;  ///< products for the same Where
    Workspace* workspace = nullptr;
    Draw draw = {};
  };
  /// Computes the outputs `out` [rows, width()] and caches in the workspace the values that backward() needs.
  virtual void forward(const Where& where, const Batch& batch, Rows<float> out) const = 0;
  /// Computes gradients. Requires a preceding forward() of the same batch, whose output is `out`. Overwrites each
  /// input's gradient whose data is not null. Writes or adds to every lane's gradient of the parameters; the gradient
  /// of a lane without samples is 0.
  virtual void backward(const Where& where, const Batch& batch, Rows<const float> out, Rows<const float> upstream,
                        std::span<const Rows<float>> input_gradients, LaneGradients gradient) const = 0;

 protected:
  Index add_parameter(std::string name, Index rows, Index columns, Start start) {
    return place(parameters_, size_, std::move(name), rows, columns, start);
  }
  /// Returns the batch's workspace as the type that make_workspace() returned.
  template <class Own>
  static Own& own(const Batch& batch) {
    return *static_cast<Own*>(batch.workspace);
  }

 private:
  std::vector<Parameter> parameters_;
  Index size_ = 0;
};

}  // namespace tesserec::layers
