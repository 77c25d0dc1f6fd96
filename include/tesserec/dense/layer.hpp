// SPDX-License-Identifier: Apache-2.0
/// A layer of a network: numbers of each sample in, numbers of each sample out, one chunk of samples at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/kokkos.hpp>

namespace tesserec::dense {

/// `width` numbers of each sample, from one sample to the next `stride` floats. Null: nobody wants them. A sequence has
/// some such vectors a sample, or none: a sample's are those from `offsets` of it up to that of the next.
template <class T>
struct Rows {
  T* data = nullptr;
  Index width = 0;
  Index stride = 0;
  const Index* offsets = nullptr;
  Index vectors = 0;  ///< of a sequence on a device: of all samples
  /// A sample's; of a sequence the vector of that number.
  TESSEREC_FUNCTION T* operator[](Index sample) const { return data + sample * stride; }
  /// For reading alone.
  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) operator Rows<U>() const {
    return {data, width, stride, offsets, vectors};
  }
};

inline void copy_rows(Index rows, Rows<const float> from, Rows<float> to) {
  for (Index r = 0; r < rows; ++r) std::copy_n(from[r], from.width, to[r]);
}

/// Shape that a layer is made for: an input's width, as vectors side by side; or a sequence of vectors.
struct InputShape {
  std::vector<Index> vectors;
  std::vector<std::string> names = {};  ///< of the vectors, for messages
  bool sequence = false;
  double length = 1;  ///< of a sequence: vectors a sample, on average
  std::string name() const { return names.empty() ? "an input" : names.front(); }
  Index width() const;
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
Index place(std::vector<Parameter>& tensors, Index& size, std::string name, Index rows, Index columns, Start start);

/// FLOPs of a sample. The way back costs `backward`, and `inputs` more where the inputs' gradients are wanted.
struct Flops {
  double forward = 0;
  double inputs = 0;
  double backward = 0;
};

class DeviceLayer;
class DeviceProducts;

class Layer {
 public:
  virtual ~Layer() = default;

  /// Numbers of a sample's output.
  virtual Index width() const = 0;
  /// "13-512-256-64-16": for people.
  virtual std::string describe() const = 0;
  virtual Flops flops() const = 0;
  /// Returns whether its time is that of products of matrices, or of all the rest.
  virtual bool multiplies_matrices() const { return true; }

  /// Its tensors in a run of `size()` floats of its own.
  const std::vector<Parameter>& parameters() const { return parameters_; }
  Index size() const { return size_; }

  /// Parameters in the order in which products read them, [packed_size()]: shared by all threads, repacked when they
  /// move; without `backward` for forward alone. Ranks may pack together: `part` selects panels by their first weight.
  virtual Index packed_size() const { return 0; }
  virtual void pack(const Exec&, const float* /*parameters*/, bool /*backward*/, float* /*packed*/,
                    Range /*part*/) const {}

  /// Memory of one thread about a chunk, between forward and backward.
  struct Workspace {
    virtual ~Workspace() = default;
  };
  /// For chunks of up to `rows` samples; every byte is written once by the calling thread. Null: needs none.
  virtual std::unique_ptr<Workspace> make_workspace(const Exec&, Index /*rows*/) const { return nullptr; }

  /// Facts about a chunk for layers that draw numbers.
  struct Draw {
    bool training = false;
    std::uint64_t seed = 0;
    Index layer = 0;         ///< the layer's place in the network
    Index step = 0;          ///< from 1
    Index first_sample = 0;  ///< of the chunk, in the global batch
  };

  /// One chunk on one thread. Outputs, and their gradients, lie row after row: their stride is the width.
  struct Chunk {
    Index rows = 0;
    std::span<const Rows<const float>> inputs;
    const float* parameters = nullptr;
    const float* packed = nullptr;
    Workspace* workspace = nullptr;
    Draw draw = {};
  };
  virtual void forward(const Chunk& chunk, Rows<float> out) const = 0;
  /// After forward of the same chunk, whose output is `out`. Overwrites the inputs' gradients that are wanted (those of
  /// sequences are), and writes (`add`: adds this chunk's to) the parameters' gradient [size()], but for its gaps.
  virtual void backward(const Chunk& chunk, Rows<const float> out, Rows<const float> upstream,
                        std::span<const Rows<float>> input_gradients, bool add, float* gradient) const = 0;

  /// Makes the layer for whole batches on the device, with the same bits, or null; `products` must outlive it.
  virtual std::unique_ptr<DeviceLayer> on_device(DeviceProducts& /*products*/) const;

 protected:
  Index add_parameter(std::string name, Index rows, Index columns, Start start) {
    return place(parameters_, size_, std::move(name), rows, columns, start);
  }

 private:
  std::vector<Parameter> parameters_;
  Index size_ = 0;
};

}  // namespace tesserec::dense
