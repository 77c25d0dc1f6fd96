// SPDX-License-Identifier: Apache-2.0
/// A layer of a network: numbers of each sample in, numbers of each sample out, a batch at a time. Its loops are
/// written once (core/loops.hpp): on a host a thread takes a chunk of samples, on a device one call a rank's whole
/// batch.
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

/// An input of a layer: a row a sample, or the vectors of a sequence.
struct LayerInput : Rows<const float> {
  Lengths lengths = {};
  bool is_sequence() const { return lengths.offsets != nullptr; }
};

/// Shape that a layer is made for: an input's width, as vectors side by side; or a sequence of vectors.
struct InputShape {
  std::vector<Index> vectors;
  std::vector<std::string> names = {};  ///< of the vectors, for messages
  bool sequence = false;
  double length = 1;         ///< of a sequence: vectors a sample, on average
  std::string lengths = {};  ///< of a sequence: the feature that has as many ids as this one has vectors
  std::string name() const { return names.empty() ? "an input" : names.front(); }
  Index width() const { return std::accumulate(vectors.begin(), vectors.end(), Index{0}); }
};

/// Start values of a tensor [rows, columns] (Naumov et al.'s code): weight N(0, sqrt(2 / (rows + columns))), bias
/// N(0, sqrt(1 / rows)), or all alike.
enum class Start { weight, bias, zero, one };

/// A tensor that is learnt. `offset`: its first float, a multiple of 16; the gap before the next one stays zero.
struct Parameter {
  std::string name;
  Index rows = 0;
  Index columns = 0;
  Index offset = 0;
  Start start = Start::weight;
};

/// Appends a tensor behind the others and returns its offset; `size` grows to the next multiple of 16.
inline Index place(std::vector<Parameter>& tensors, Index& size, std::string name, Index rows, Index columns,
                   Start start) {
  constexpr Index line = 16;  // floats of a cache line
  tensors.push_back({std::move(name), rows, columns, size, start});
  size = (size + rows * columns + line - 1) / line * line;
  return tensors.back().offset;
}

/// FLOPs of a sample. The way back costs `backward`, and `inputs` more where the inputs' gradients are wanted.
struct Flops {
  double forward = 0;
  double inputs = 0;
  double backward = 0;
};

class Layer {
 public:
  virtual ~Layer() = default;

  /// Numbers of a sample's output, or of a vector's where that is a sequence.
  virtual Index width() const = 0;
  /// "13-512-256-64-16": for people.
  virtual std::string describe() const = 0;
  virtual Flops flops() const = 0;
  /// Returns whether its time is that of products of matrices, or of all the rest.
  virtual bool multiplies_matrices() const { return true; }
  /// Returns whether its output is a sequence, with a vector for each one of its first input that is one.
  virtual bool gives_sequence() const { return false; }
  /// Returns whether it has loops of its own over a host's memory, so that no device can run it.
  virtual bool is_host_only() const { return false; }
  /// Returns whether it launches other loops for another Draw.
  virtual bool draws() const { return false; }

  /// Its tensors in a run of `size()` floats of its own.
  const std::vector<Parameter>& parameters() const { return parameters_; }
  Index size() const { return size_; }

  /// Parameters in the order in which a host's products read them, [packed_size()]: shared by all threads, repacked
  /// when they move; without `backward` for forward alone. Ranks may pack together: `part` selects panels by their
  /// first weight.
  virtual Index packed_size() const { return 0; }
  virtual void pack(const Exec&, const float* /*parameters*/, bool /*backward*/, float* /*packed*/,
                    Range /*part*/) const {}

  /// Makes what it keeps of a batch between forward and backward. Null: needs none.
  virtual std::unique_ptr<Workspace> make_workspace() const { return nullptr; }

  /// Facts about a batch for layers that draw numbers.
  struct Draw {
    bool training = false;
    std::uint64_t seed = 0;
    Index layer = 0;         ///< the layer's place in the network
    Index step = 0;          ///< from 1
    Index first_sample = 0;  ///< of the batch, in the global batch
  };

  /// A batch at one Where, whose memory has all that loops read. Outputs, and their gradients, lie row after row: their
  /// stride is the width.
  struct Batch {
    Index rows = 0;  ///< samples
    Pieces chunks = {};
    std::span<const LayerInput> inputs = {};
    const float* parameters = nullptr;
    const float* packed = nullptr;           ///< on a host
    products::Products* products = nullptr;  ///< of the Where
    Workspace* workspace = nullptr;
    Draw draw = {};
  };
  /// Keeps in its workspace what backward wants.
  virtual void forward(const Where& where, const Batch& batch, Rows<float> out) const = 0;
  /// After forward of the same batch, whose output is `out`. Overwrites the inputs' gradients that are wanted, and
  /// writes or adds to the parameters' gradient of every lane; that of a lane without samples is 0.
  virtual void backward(const Where& where, const Batch& batch, Rows<const float> out, Rows<const float> upstream,
                        std::span<const Rows<float>> input_gradients, LaneGradients gradient) const = 0;

 protected:
  Index add_parameter(std::string name, Index rows, Index columns, Start start) {
    return place(parameters_, size_, std::move(name), rows, columns, start);
  }
  /// Its workspace as the type that make_workspace gave.
  template <class Own>
  static Own& own(const Batch& batch) {
    return *static_cast<Own*>(batch.workspace);
  }

 private:
  std::vector<Parameter> parameters_;
  Index size_ = 0;
};

}  // namespace tesserec::layers
