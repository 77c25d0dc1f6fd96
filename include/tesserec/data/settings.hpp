// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/own_keys.hpp>

namespace tesserec::data {

/// Generators of samples.
enum class SyntheticKind { none, planted, reference };

/// Generator of uniform numbers. philox: a sample's numbers depend on seed and sample alone. mt19937: the sequence of
/// numpy.random after seed(run.seed).
enum class BitGenerator { philox, mt19937 };

/// Law of the ids. uniform: all rows alike. gaussian: a normal distribution, clipped to a range (reference). zipf: rank
/// k with weight (k + 1)^-zipf. trace: ids that come again as those of a recorded profile do (reference).
enum class IdLaw { uniform, gaussian, zipf, trace };

/// Several labels of planted samples.
struct PlantedLabels {
  std::vector<std::string> names = {};  ///< empty = one label
  std::vector<double> rates = {};       ///< target share of 1 of each label; empty = click_rate each
  double correlation = 0.5;             ///< correlation of each further label's logit with the first's
  double missing = 0.0;                 ///< share of the samples that lack each label but the first
  bool funnel = false;                  ///< true if a label is 1 only where the one before it is 1
};

/// Block [data.synthetic]: samples made on the fly.
struct SyntheticSettings {
  SyntheticKind kind = SyntheticKind::none;
  Index samples = 0;           ///< training samples of an epoch
  Index evaluate_samples = 0;  ///< evaluation samples, from a disjoint stream (planted) or the same stream (reference)
  std::vector<Index> rows;     ///< rows of each table's id space, one feature per table
  Index max_rows = 0;          ///< cap of every entry of rows; 0 = no cap
  Index dense_features = 13;
  Index ids_per_bag = 1;  ///< bag length, or the largest if variable
  /// Bag length of each feature (planted), in the order of rows, instead of ids_per_bag. Empty = the same for all.
  /// Length 1 is always one id.
  std::vector<Index> bag_lengths;
  /// Variability of bag lengths. Planted: uniform in [0, ids_per_bag], or fixed. Reference: 1 to ids_per_bag draws, or
  /// always ids_per_bag. Unset: fixed for planted, variable for reference.
  std::optional<bool> variable_bags;
  std::optional<IdLaw> ids;              ///< law of the ids; unset: zipf for planted, uniform for reference
  double zipf = 1.05;                    ///< exponent of the ids' frequency if they follow Zipf's law; 0 = uniform
  std::string profile;                   ///< file of the reuse profile whose stack distances the ids have (trace)
  std::optional<double> gaussian_mu;     ///< mean of gaussian ids; unset = the middle of the range
  std::optional<double> gaussian_sigma;  ///< their standard deviation; unset = a sixth of the range
  std::optional<Index> gaussian_min;     ///< lowest id; unset = 0
  std::optional<Index> gaussian_max;     ///< highest id; unset, or beyond a table, = the table's last row
  double click_rate = 0.25;              ///< target share of label 1 (planted)
  PlantedLabels labels = {};             ///< several labels (planted)
  double strength = 1.4;  ///< standard deviation of the truth's logit (planted); 1.4 gives a best AUC of about 0.80
  /// Feature of the query and feature of the item whose inner product enters the truth (planted); empty = none.
  std::vector<std::string> pair;
  double pair_strength = 1.0;  ///< standard deviation of the pair's term (planted), where a table's is 1
  Index pair_rank = 4;         ///< length of each vector of the pair or the sequence (planted)
  /// Feature of the item and feature of the items before it, the latest one last, whose inner products enter the truth
  /// (planted); empty = none.
  std::vector<std::string> sequence;
  double sequence_strength = 1.0;  ///< standard deviation of the sequence's term (planted), where a table's is 1
  bool round_targets = false;      ///< true if targets are rounded to 0 or 1 (reference)
  bool hashed = false;             ///< true if ids are hashed to 64 bits, as those of tokens, for tables that grow
  BitGenerator bit_generator = BitGenerator::philox;  ///< mt19937 needs reference and no shuffling
};

/// Block [data].
struct Settings {
  std::vector<std::string> train;     ///< HDF5 files or globs
  std::vector<std::string> evaluate;  ///< HDF5 files or globs
  std::vector<std::string> predict;   ///< HDF5 files or globs, labels not needed; empty = those of evaluate
  std::string window;           ///< windows in which training goes in the order of time (window_width.hpp): "file",
                                ///< "1 day", ...; empty = epochs over all samples
  bool missing_labels = false;  ///< true if samples may lack some of several labels
  bool trust = false;           ///< true if the files may take numbers from other files
  std::vector<Index> multi_hot_sizes;  ///< ids that each feature's one id becomes [F]; empty = as in the data
  std::uint64_t multi_hot_seed = 0;    ///< seed of the ids behind the first
  SyntheticSettings synthetic;
  std::string source;         ///< type that add_source_type added; empty = files or synthetic
  OwnValues own_values = {};  ///< values of the keys that the type registered

  /// Returns the value of one of the type's keys. Throws the Errors of OwnValues::get.
  template <class T>
  const T& own(const std::string& key) const {
    return own_values.get<T>(key);
  }
};

}  // namespace tesserec::data
