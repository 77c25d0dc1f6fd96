// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <tesserec/core/lanes.hpp>

namespace tesserec::data {

struct Batch;

/// Bound of ids that may be any 64-bit number, negative ones too.
inline constexpr Index any_id = std::numeric_limits<Index>::max();

/// A file behind a source.
struct SourceFile {
  std::string path;
  std::string seal;  ///< "BYTES CHECKSUM" (docs/formats.md); empty if another program wrote the file
};

/// A text of each sample that is written next to its score.
struct KeyColumn {
  std::string name;
  Index bytes = 0;  ///< length of the longest text, bytes
};

/// Window of the training samples in the order of time: the samples of a span of time, or of a file.
struct TimeWindow {
  std::string name;   ///< beginning of the span in UTC, or path of the file
  Index samples = 0;  ///< at least 1
  Index begin = 0;    ///< span, microseconds since 1970; begin == end for a file
  Index end = 0;
};

/// Content of a source, known before the first batch.
struct SourceInfo {
  std::string description;               ///< files or generator, for the banner
  Index samples = 0;                     ///< samples of an epoch, over all ranks
  Index dense_features = 0;              ///< number of dense features K
  std::vector<std::string> dense_names;  ///< names of the dense features [K], in file order; empty = not said
  std::vector<std::string> transforms;   ///< transforms of the dense features [K] (docs/formats.md); empty = not said
  std::vector<std::string> features;     ///< names of the sparse features [F], in file order
  std::vector<Index> rows;               ///< upper bounds of the ids [F], exclusive, or any_id
  std::vector<Index> multi_hot;     ///< ids that the one id of each feature becomes [F]; empty = ids are as in the data
  std::vector<double> ids_per_bag;  ///< mean bag length [F]; empty = not said, 1 each for the planner
  std::vector<double> zipf;         ///< exponent of the ids' frequency [F]; empty = not known
  std::vector<bool> weighted;       ///< true if the feature's ids carry weights [F]; empty = none do
  bool sample_weights = false;      ///< true if samples carry weights
  std::string vocabulary;           ///< digest of the ids' meaning; empty = not said
  /// Digests of the vocabularies that this vocabulary extends: their ids mean the same here.
  std::vector<std::string> vocabulary_extends;
  std::vector<std::string> borders;  ///< borders of quantiles of the features [F] (docs/formats.md); empty = none
  std::vector<std::string> tasks;    ///< names of the labels of a sample [T]; empty = one label without a name
  std::string labels;                ///< raw values that are 1 and that are 0; empty = not said
  bool labelled = true;              ///< true if samples have labels; if not, the labels of batches are 0
  std::vector<KeyColumn> keys;       ///< texts of the samples that are not learned
  Index left_out = 0;                ///< raw rows that preprocess left out
  std::vector<std::string> skipped;  ///< first rows left out of data to predict, "file:line: reason"
  std::vector<SourceFile> files;     ///< files in order; empty = samples are made on the fly
  /// Windows in the order of time, known after find_windows(). Epoch w of the source is window w, so one epoch after
  /// the other takes each sample once. Empty = each epoch has all samples.
  std::vector<TimeWindow> windows = {};

  /// Returns the labels of a sample T.
  Index label_count() const { return std::max<Index>(1, std::ssize(tasks)); }
};

/// Returns `info` unchanged. Throws Error if a list has another length than the features or dense features. Optional
/// lists may be empty.
const SourceInfo& checked(const SourceInfo& info);

/// Range of valid labels, both ends included.
struct LabelRange {
  float low = 0.0f;
  float high = 1.0f;
  bool may_lack = false;  ///< true if a sample may lack some of its labels, which are NaN
};

/// Counts of valid but suspicious values in this rank's share of the training samples. Lists are empty if nothing was
/// checked.
struct OddValues {
  std::vector<Index> large;       ///< numbers of magnitude 1e9 or more, per dense feature [K]
  std::vector<Index> weightless;  ///< bags with ids, all of weight 0, per feature [F]
  std::vector<Index> not_single;  ///< bags with no id or several, per feature [F]
};

/// Rule by which a source deals samples to this rank.
struct Deal {
  int rank = 0;
  int ranks = 1;
  Lanes lanes{1};        ///< lanes, and micro-batches of a batch
  Index batch_size = 1;  ///< global batch G, all its micro-batches together
  bool shuffle = false;
  std::uint64_t seed = 1;

  /// Returns the batches of an epoch; the last may be smaller.
  Index batches(Index samples) const { return (samples + batch_size - 1) / batch_size; }
  /// Returns the batches of all windows of a source, or of an epoch if it has no windows.
  Index batches(const SourceInfo& info) const {
    if (info.windows.empty()) return batches(info.samples);
    Index all = 0;
    for (const TimeWindow& window : info.windows) all += batches(window.samples);
    return all;
  }
  /// Returns the samples of batch k of an epoch: G, or the rest in the last batch.
  Index batch_samples(Index samples, Index batch) const { return std::min(batch_size, samples - batch * batch_size); }
};

/// Source of batches, each delivered as its micro-batches in order. The position is (epoch, batch), so that a restart
/// on any number of ranks continues exactly. A rank has one object and calls it from one thread. No call is collective.
/// The ranks' sources must agree in info() and in each batch's global_size. Each source gives the samples of its own
/// lanes (Deal::lanes, Lanes::samples_of_rank). The step throws Error on every rank if a batch has another size.
class Source {
 public:
  virtual ~Source() = default;
  virtual const SourceInfo& info() const = 0;
  /// Reads the next micro-batch of the current epoch. Returns false, with the batch untouched, at the epoch's end.
  virtual bool next(Batch& batch) = 0;
  /// Continues at batch `batch` of epoch `epoch`, both from 0.
  virtual void seek(Index epoch, Index batch) = 0;
  /// Sets the rows of the model's table under each of info().features [F], before the first batch. Later ids outside
  /// [0, rows[f]) are Errors, unless rows[f] is any_id. Without a call, the source's own rows hold. The base version
  /// throws Error if a table has fewer rows than the source.
  virtual void limit_rows(const std::vector<Index>& rows);
  /// Finds the windows of data.window, so that info().windows has them, and goes to the first batch. Returns a line
  /// about them for the log, or "" if the source has none. Call once, before the first batch, after all ranks have
  /// opened their sources. The base version finds none.
  virtual std::string find_windows() { return {}; }
  /// Checks this rank's share of all labels and sample weights once, before the first batch. Throws Error, with sample
  /// and file, for a label outside the range or a weight outside [0, max_sample_weight]. Shares are in the order of
  /// samples, so the lowest rank has the first error. Returns the number of these samples that lack each label [T], or
  /// an empty list if none can. The base version does nothing.
  virtual std::vector<Index> limit_labels(const LabelRange& labels);
  /// Returns the number of samples with weight 0 that limit_labels() met in this rank's share.
  virtual Index weightless() const { return 0; }
  /// Checks this rank's share of the samples without a seal, or of all samples if limit_rows() set fewer rows. Shares
  /// are those of limit_labels(). Returns counts of suspicious values. Throws the Errors that next() would throw later.
  /// The base version, for sources without files, does nothing.
  virtual OddValues check_samples();
  /// Reads a key column of samples of the first epoch in file order into `texts` [samples.size(), bytes of the column],
  /// padded with zeros. The base version is for sources without keys.
  virtual void read_keys(std::size_t column, Range samples, char* texts) const;
};

}  // namespace tesserec::data
