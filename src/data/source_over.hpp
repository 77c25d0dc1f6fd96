// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Source over another one, which changes its batches. Passes on all other calls.
class SourceOver : public Source {
 public:
  /// Takes the source. Its info() is copied, for the class that changes the batches to change too.
  explicit SourceOver(std::unique_ptr<Source> source) : source_(std::move(source)), info_(source_->info()) {}

  const SourceInfo& info() const override { return info_; }
  void seek(Index epoch, Index batch) override { source_->seek(epoch, batch); }
  std::string find_windows() override {
    std::string line = source_->find_windows();
    info_.windows = source_->info().windows;
    return line;
  }
  void limit_rows(const std::vector<Index>& rows) override { source_->limit_rows(rows); }
  std::vector<Index> limit_labels(const LabelRange& labels) override { return source_->limit_labels(labels); }
  Index weightless() const override { return source_->weightless(); }
  OddValues check_samples() override { return source_->check_samples(); }
  void read_keys(std::size_t column, Range samples, char* texts) const override {
    source_->read_keys(column, samples, texts);
  }

 protected:
  std::unique_ptr<Source> source_;
  SourceInfo info_;
};

}  // namespace tesserec::data
