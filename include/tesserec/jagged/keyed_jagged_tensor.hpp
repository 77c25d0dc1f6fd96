// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/jagged/jagged_tensor.hpp>

namespace tesserec::jagged {

/// Sparse half of a batch, key-major: a bag of ids for each key and each of `stride` samples, as in TorchRec. The bag
/// of key k and sample b begins at values(offsets(k * stride + b)) and ends at the next offset. Copies share storage,
/// as views do.
struct KeyedJaggedTensor {
  std::vector<std::string> keys;
  Index stride = 0;       ///< samples B; the largest number of any key if keys differ
  Vector<Index> values;   ///< ids; may be longer than the last offset
  Vector<float> weights;  ///< parallel to values; empty when unweighted
  Vector<Index> offsets;  ///< at least F * B + 1, from 0; may be empty without keys
  /// First bag of each key, [F + 1], only if keys differ in their number of samples. Modules take batches of one
  /// stride.
  std::vector<Index> first_bags = {};

  Index features() const { return std::ssize(keys); }
  bool variable_stride() const { return !first_bags.empty(); }
  Index first_bag(Index key) const { return variable_stride() ? first_bags[key] : key * stride; }
  Index bags() const { return first_bag(features()); }
  Index begin(Index key, Index sample) const { return offsets(first_bag(key) + sample); }
  Index length(Index key, Index sample) const {
    const Index bag = first_bag(key) + sample;
    return offsets(bag + 1) - offsets(bag);
  }
  Index total() const { return bags() == 0 ? 0 : offsets(bags()); }
  bool weighted() const { return weights.extent(0) > 0; }

  /// Makes a tensor that shares values and weights. `lengths` is key-major. The stride is lengths / keys, or one of
  /// `strides` for each key. Throws Error if a length is negative, or if the lengths do not sum to the number of
  /// values.
  static KeyedJaggedTensor from_lengths(const Exec& exec, const std::vector<std::string>& keys,
                                        const Vector<Index>& values, const Vector<Index>& lengths,
                                        const Vector<float>& weights = {}, const std::vector<Index>& strides = {});
  /// Makes a tensor that shares its arguments. Throws Error unless the offsets start at 0, ascend and end at the number
  /// of values.
  static KeyedJaggedTensor from_offsets(const std::vector<std::string>& keys, const Vector<Index>& values,
                                        const Vector<Index>& offsets, const Vector<float>& weights = {},
                                        const std::vector<Index>& strides = {});
  /// Copies one jagged tensor for each key. Throws Error if their numbers of rows differ, or if only some have weights.
  static KeyedJaggedTensor from_jagged(const Exec& exec, const std::vector<std::string>& keys,
                                       const std::vector<JaggedTensor>& jagged);
  /// Copies bags that are written out, [key][sample][position]. `weights` is empty or has the same shape.
  static KeyedJaggedTensor from_dense(const Exec& exec, const std::vector<std::string>& keys,
                                      const std::vector<std::vector<std::vector<Index>>>& bags,
                                      const std::vector<std::vector<std::vector<float>>>& weights = {});
  /// Copies the keys of all `tensors`, in order. Throws Error if their strides differ, or if only some have weights.
  static KeyedJaggedTensor concat(const Exec& exec, const std::vector<KeyedJaggedTensor>& tensors);

  /// Returns the position of the first key of this name. Throws Error with the known keys if there is none.
  Index find(const std::string& key) const;
  /// Returns one key's bags. They share values and weights; their offsets are new, from 0.
  JaggedTensor jagged(const Exec& exec, Index key) const;
  JaggedTensor jagged(const Exec& exec, const std::string& key) const { return jagged(exec, find(key)); }
  std::map<std::string, JaggedTensor> to_map(const Exec& exec) const;

  /// Copies keys order[0], order[1], ..., of which some may be left out or repeated. Throws Error if there is no key at
  /// a position.
  KeyedJaggedTensor permute(const Exec& exec, const std::vector<Index>& order) const;
  /// Splits the keys into tensors of segments[0] keys, segments[1] keys, ... They share values and weights; their
  /// offsets are new, from 0. A tensor without keys keeps the stride. Throws Error if a segment is negative, or if the
  /// segments do not sum to the number of keys.
  std::vector<KeyedJaggedTensor> split(const Exec& exec, const std::vector<Index>& segments) const;

  Vector<Index> lengths(const Exec& exec) const;      ///< [bags] key-major
  std::vector<Index> stride_per_key() const;          ///< [F] samples
  std::vector<Index> length_per_key() const;          ///< [F] ids
  std::vector<Index> offset_per_key() const;          ///< [F + 1] first id of each key
  std::vector<Index> lengths_offset_per_key() const;  ///< [F + 1] first bag of each key
};

/// Prints the list of bags key by key in TorchRec's form, with the weights if there are any. Leaves no id out.
std::ostream& operator<<(std::ostream& out, const KeyedJaggedTensor& kjt);

}  // namespace tesserec::jagged
