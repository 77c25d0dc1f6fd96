// SPDX-License-Identifier: Apache-2.0
/// Whole steps of the deck, on batches drawn beforehand; and parts of the program alone, on data of their own, whose
/// limits bound a step.
#pragma once

#include <map>

#include "limits.hpp"
#include <tesserec/data/batch.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::bench {

/// Source of batches drawn beforehand.
class PrefetchedSource : public data::Source {
 public:
  /// Draws the first `count` batches of `from`, again from its start if it has fewer. Throws Error if it has none.
  /// Collective.
  PrefetchedSource(const Context& context, data::Source& from, int count);

  const data::SourceInfo& info() const override { return info_; }
  bool next(data::Batch& batch) override;
  void seek(Index, Index) override { next_ = 0; }

  /// Returns the median seconds of drawing a batch, on the slowest rank.
  double read_seconds() const { return read_seconds_; }

 private:
  data::SourceInfo info_;
  std::vector<data::Batch> batches_;
  std::size_t next_ = 0;
  Index epoch_ = 0;
  double read_seconds_ = 0;
};

/// Work of a step, counted on this rank.
struct StepCounts {
  double samples = 0;    ///< this rank's samples
  double ids = 0;        ///< ids that this rank's shards look up
  double row_bytes = 0;  ///< bytes of the rows that the ids name
  double touched = 0;    ///< distinct rows among them
  double touched_bytes = 0;
  double bytes_inside = 0, bytes_between = 0;  ///< bytes sent to other ranks of this node, and to other nodes
};

/// Counts the work of a batch, except for the bytes sent. Collective.
StepCounts count_step(const Exec& exec, train::Session& session, const data::Batch& batch);

struct StepTimes {
  double seconds = 0;                    ///< seconds of a step, on the slowest rank
  double seconds_without_pipeline = 0;   ///< seconds without train.pipeline; 0 = deck or ranks do not use it
  double peak_flops = 0;                 ///< FLOP/s of multiply-adds measured between the steps
  double read_seconds = 0;               ///< seconds to draw this rank's batch from the source
  std::map<std::string, double> phases;  ///< seconds of a step by phase, on this rank
  StepCounts counts;
};

/// Measures steps that train `session` on batches of the job's source, after a warm-up. Collective.
StepTimes measure_step(const Context& context, train::Session& session, data::Source& source);

/// Adds figures of the phases with their limits, of the source and of the whole step.
void add_step_figures(const train::Session& session, const StepTimes& times, const Limits& limits, Report& report);

/// Measures each layer alone on one chunk: the three products of every linear layer, or forward and backward of another
/// layer. Then measures the dense chain and the packing of weights. Collective.
void measure_layers(const Context& context, const train::Session& session, const Limits& limits,
                    std::vector<Figure>& figures);

/// Measures lookup, and the update by each optimizer, of rows of dimension `dim` that exceed the caches. Collective.
void measure_rows(const Context& context, Index dim, const Limits& limits, std::vector<Figure>& figures);

}  // namespace tesserec::bench
