// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <tesserec/data/columns.hpp>

namespace tesserec::data {

/// The batches of another source, with their columns in another order.
class OrderedSource : public Source {
 public:
  OrderedSource(std::unique_ptr<Source> source, ColumnOrder order);

  const SourceInfo& info() const override { return info_; }
  bool next(Batch& batch) override;
  void seek(Index epoch, Index batch) override { source_->seek(epoch, batch); }
  void limit_rows(const std::vector<Index>& rows) override;
  void limit_labels(const LabelRange& labels) override { source_->limit_labels(labels); }
  OddValues look_through() override;
  void read_keys(std::size_t column, Range samples, char* texts) const override {
    source_->read_keys(column, samples, texts);
  }

 private:
  std::unique_ptr<Source> source_;
  ColumnOrder order_;
  SourceInfo info_;
  std::vector<float> row_;  // of dense features, in the source's order
};

}  // namespace tesserec::data
