// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/jagged/jagged_tensor.hpp>

namespace tesserec::jagged {

/// The sparse half of a batch, key-major: a bag of ids for each key and each of `stride` samples; TorchRec's type. Bag
/// (key k, sample b) holds values from offsets(k * stride + b) to the next. Copies share storage, as views do.
struct KeyedJaggedTensor {
  std::vector<std::string> keys;
  Index stride = 0;       ///< samples B; the most of any key where keys differ
  Vector<Index> values;   ///< ids; may be longer than what offsets use
  Vector<float> weights;  ///< parallel to values; empty when unweighted
  Vector<Index> offsets;  ///< at least F * B + 1, from 0; may be empty without keys
  /// [F + 1] first bag of each key, only if keys differ in their number of samples; modules take batches of one stride.
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

  /// Shares values and weights. `lengths` is key-major; the stride is lengths / keys, or one of `strides` for each key.
  /// Error: a negative length, with key and sample; lengths that do not sum to the number of values.
  static KeyedJaggedTensor from_lengths(const Exec& exec, const std::vector<std::string>& keys,
                                        const Vector<Index>& values, const Vector<Index>& lengths,
                                        const Vector<float>& weights = {}, const std::vector<Index>& strides = {});
  /// Shares everything. Error: offsets that do not start at 0, ascend and end at the number of values.
  static KeyedJaggedTensor from_offsets(const std::vector<std::string>& keys, const Vector<Index>& values,
                                        const Vector<Index>& offsets, const Vector<float>& weights = {},
                                        const std::vector<Index>& strides = {});
  /// Copies one jagged tensor for each key. Error: other numbers of rows, weights for some keys only.
  static KeyedJaggedTensor from_jagged(const Exec& exec, const std::vector<std::string>& keys,
                                       const std::vector<JaggedTensor>& jagged);
  /// Bags written out, [key][sample][position]; `weights` is empty or has the same shape.
  static KeyedJaggedTensor from_dense(const Exec& exec, const std::vector<std::string>& keys,
                                      const std::vector<std::vector<std::vector<Index>>>& bags,
                                      const std::vector<std::vector<std::vector<float>>>& weights = {});
  /// Copies the keys of all parts, one part after the other. Error: strides that differ, weights in some parts only.
  static KeyedJaggedTensor concat(const Exec& exec, const std::vector<KeyedJaggedTensor>& parts);

  /// Position of the first key of this name. Error: names the unknown key and those there are.
  Index find(const std::string& key) const;
  /// One key's bags: shares values and weights; offsets are its own, from 0.
  JaggedTensor jagged(const Exec& exec, Index key) const;
  JaggedTensor jagged(const Exec& exec, const std::string& key) const { return jagged(exec, find(key)); }
  std::map<std::string, JaggedTensor> to_map(const Exec& exec) const;

  /// Keys order[0], order[1], ...; some may be left out or repeated. Copies. Error: no such position.
  KeyedJaggedTensor permute(const Exec& exec, const std::vector<Index>& order) const;
  /// Cuts after segments[0] keys, after segments[1] more, ...: shares values and weights; a part's offsets are its own,
  /// from 0. A part without keys keeps the stride. Error: segments that do not sum to the number of keys.
  std::vector<KeyedJaggedTensor> split(const Exec& exec, const std::vector<Index>& segments) const;

  Vector<Index> lengths(const Exec& exec) const;      ///< [bags] key-major
  std::vector<Index> stride_per_key() const;          ///< [F] samples
  std::vector<Index> length_per_key() const;          ///< [F] ids
  std::vector<Index> offset_per_key() const;          ///< [F + 1] the first id of each key
  std::vector<Index> lengths_offset_per_key() const;  ///< [F + 1] the first bag of each key
};

/// Key by key the list of bags, with weights where there are any, in TorchRec's form; every id is printed.
std::ostream& operator<<(std::ostream& out, const KeyedJaggedTensor& kjt);

}  // namespace tesserec::jagged
