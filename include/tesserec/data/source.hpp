// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <tesserec/core/lanes.hpp>

namespace tesserec::data {

struct Batch;

/// A file behind a source.
struct SourceFile {
  std::string path;
  std::string seal;  ///< "BYTES CHECKSUM" (docs/formats.md); empty where another program wrote the file
};

/// A text of each sample that goes with its score.
struct KeyColumn {
  std::string name;
  Index bytes = 0;  ///< of the longest text
};

/// Content of a source, known before the first batch.
struct SourceInfo {
  std::string description;               ///< files or generator, for the banner
  Index samples = 0;                     ///< of an epoch, all ranks
  Index dense_features = 0;              ///< K
  std::vector<std::string> dense_names;  ///< [K] names of the dense features, in file order; empty = not said
  std::vector<std::string> transforms;   ///< [K] what was done to their numbers (docs/formats.md); empty = not said
  std::vector<std::string> features;     ///< names of the sparse features, in file order
  std::vector<Index> rows;               ///< ids of feature f lie in [0, rows[f])
  std::vector<double> ids_per_bag;       ///< [feature] on average; empty = not said: 1 each, for the planner
  std::vector<double> zipf;              ///< [feature] exponent of the ids' frequency; empty = not known
  std::vector<bool> weighted;            ///< [feature] whether its ids carry weights; empty = none do
  bool sample_weights = false;           ///< whether its samples do
  std::string vocabulary;                ///< digest of the ids' meaning; empty = not said
  /// Digests of the vocabularies that this one extends: their ids mean the same here.
  std::vector<std::string> vocabulary_extends;
  std::string labels;                ///< which raw values are 1, and which 0; empty = not said
  bool labelled = true;              ///< whether samples have labels; else those of batches are 0
  std::vector<KeyColumn> keys;       ///< texts of the samples that are not learnt
  Index left_out = 0;                ///< raw rows that preprocess left out
  std::vector<std::string> skipped;  ///< the first of them, "file:line: reason", of data to predict
  std::vector<SourceFile> files;     ///< in order; empty = samples are made on the fly
};

/// Returns the facts. Error: a list whose length is not that of the features or dense features; some may be empty.
const SourceInfo& checked(const SourceInfo& info);

/// Labels from least to most are taken.
struct LabelRange {
  float least = 0.0f;
  float most = 1.0f;
};

/// Counts of valid but suspicious values in this rank's share of the training samples; empty if nothing was checked.
struct OddValues {
  std::vector<Index> large;       ///< [dense feature] numbers of magnitude 1e9 or more
  std::vector<Index> weightless;  ///< [feature] bags with ids, all of weight 0
  std::vector<Index> not_single;  ///< [feature] bags without an id, or with several
};

/// Rule by which a source deals samples to this rank.
struct Deal {
  int rank = 0;
  int ranks = 1;
  Lanes lanes{1};        ///< and the micro-batches of a batch
  Index batch_size = 1;  ///< global batch G, all its micro-batches together
  bool shuffle = false;
  std::uint64_t seed = 1;

  Index batches(Index samples) const { return (samples + batch_size - 1) / batch_size; }
  /// Samples of batch k of an epoch: G, or what is left.
  Index batch_samples(Index samples, Index batch) const { return std::min(batch_size, samples - batch * batch_size); }
};

/// Source of batches, each as its micro-batches one after the other. Position is (epoch, batch), so that a
/// restart on any number of ranks continues exactly. One object a rank, called from one thread; no call is collective.
/// The ranks' sources must agree in info() and in each batch's global_size, and each gives the samples of its own lanes
/// (Deal::lanes, Lanes::samples_of_rank); a batch of another size is an Error of the step on every rank.
class Source {
 public:
  virtual ~Source() = default;
  virtual const SourceInfo& info() const = 0;
  /// The next micro-batch of the epoch at hand; false, with the batch untouched, at its end.
  virtual bool next(Batch& batch) = 0;
  /// Continues at batch `batch` of epoch `epoch`, both from 0.
  virtual void seek(Index epoch, Index batch) = 0;
  /// Sets the rows of the model's table under each of info().features, before the first batch: later ids outside [0,
  /// rows[f]) are Errors. Default: the source's own rows. The base version compares only the numbers of rows.
  virtual void limit_rows(const std::vector<Index>& rows);
  /// Checks this rank's share of all labels and weights of samples once, before the first batch. Error, with sample and
  /// file: a label outside the range or a weight outside [0, most_sample_weight]. Shares are in the order of samples,
  /// so the lowest rank has the first error. The base version does nothing.
  virtual void limit_labels(const LabelRange& labels);
  /// Reads this rank's share, as limit_labels, of samples without a seal, or of all where limit_rows set fewer rows.
  /// Errors as those of next(), which would occur later. The base version, for sources without files, does nothing.
  virtual OddValues look_through();
  /// Reads a key column of samples of the first epoch in file order: [samples.size(), bytes of the column], padded with
  /// zeros. The base version is for sources without keys.
  virtual void read_keys(std::size_t column, Range samples, char* texts) const;
};

}  // namespace tesserec::data
