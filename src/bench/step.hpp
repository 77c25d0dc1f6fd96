// SPDX-License-Identifier: Apache-2.0
/// The deck's own step, whole, on batches drawn before and trained on once each; and parts of the program alone, on
/// data of their own: what each could give to a step.
#pragma once

#include <map>

#include "limits.hpp"
#include <tesserec/data/batch.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::bench {

/// Batches made beforehand.
class Drawn : public data::Source {
 public:
  /// The first `count` batches of `from`, over and over where it has fewer. Error: it has none.
  Drawn(const Context& context, data::Source& from, int count);

  const data::SourceInfo& info() const override { return info_; }
  bool next(data::Batch& batch) override;
  void seek(Index, Index) override { next_ = 0; }

  /// Median time of drawing a batch, the slowest rank's, s.
  double read_seconds() const { return read_seconds_; }

 private:
  data::SourceInfo info_;
  std::vector<data::Batch> batches_;
  std::size_t next_ = 0;
  Index epoch_ = 0;
  double read_seconds_ = 0;
};

/// Work of a step, counted on this rank, and the time of its phases.
struct StepCounts {
  double samples = 0;    ///< of this rank
  double ids = 0;        ///< asked of this rank's shards
  double row_bytes = 0;  ///< of the rows they name
  double touched = 0;    ///< distinct rows among them
  double touched_bytes = 0;
  double bytes_inside = 0, bytes_between = 0;  ///< sent to ranks of this node, and of others
};

/// Counts a batch. Collective.
StepCounts count_step(const Exec& exec, train::Session& session, const data::Batch& batch);

struct StepTimes {
  double seconds = 0;                    ///< of a step, the slowest rank's
  double seconds_in_turn = 0;            ///< the same without train.pipeline; 0 = the deck or the ranks have none
  double peak_flops = 0;                 ///< multiply-adds between the steps, FLOP/s
  double read_seconds = 0;               ///< of a batch of this rank from the source
  std::map<std::string, double> phases;  ///< of this rank
  StepCounts counts;
};

/// Trains `session` for warm-up and repeats on batches of the job's source. Collective.
StepTimes measure_step(const Context& context, train::Session& session, data::Source& source);

/// Phases beside their limits, reader and whole step.
void add_step_figures(const train::Session& session, const StepTimes& times, const Limits& limits, Report& report);

/// Every layer's three products and both ways through the interaction, chunks of one size over and over.
void measure_layers(const Context& context, const train::Session& session, const Limits& limits,
                    std::vector<Figure>& figures);

/// Lookup, and the update by each optimizer, of rows of the model's dimension that no cache holds.
void measure_rows(const Context& context, Index dim, const Limits& limits, std::vector<Figure>& figures);

}  // namespace tesserec::bench
