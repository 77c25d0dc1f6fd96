// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"
#include <tesserec/data/batch.hpp>
#include <tesserec/data/source.hpp>

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

}  // namespace tesserec::bench
