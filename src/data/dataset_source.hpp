// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "time_windows.hpp"
#include <tesserec/core/read_ahead.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/data/dataset.hpp>
#include <tesserec/data/sample_order.hpp>

namespace tesserec::data {

/// One window of a stream in memory.
struct Window {
  int stream = 0;
  Index number = 0;
  std::vector<std::uint16_t> order;  ///< index in `samples` of each position of the window
  Samples samples;
};

/// Consecutive samples of a batch that lie in one window.
struct WindowSlice {
  std::shared_ptr<const Window> window;
  Index first = 0;  ///< first position in the window
  Index size = 0;
};

/// Gathers the segments' samples into the batch, which must be allocated by reserve_batch().
void gather(const std::vector<WindowSlice>& segments, const SourceInfo& info, bool packed, Batch& batch);

/// Source of batches from HDF5 dataset files. A thread prefetches about one window of each stream.
class DatasetSource : public Source {
 public:
  /// Opens the files or globs of the deck's `key` and verifies this rank's share of their parts. `window`: a value of
  /// data.window, for find_windows().
  DatasetSource(const std::vector<std::string>& patterns, const std::string& key, store::Trust trust, const Deal& deal,
                const std::string& window = "");

  const SourceInfo& info() const override { return info_; }
  bool next(Batch& batch) override;
  void seek(Index epoch, Index batch) override;
  std::string find_windows() override;
  void limit_rows(const std::vector<Index>& rows) override;
  std::vector<Index> limit_labels(const LabelRange& labels) override;
  Index weightless() const override { return dataset_.weightless(); }
  OddValues check_samples() override;
  void read_keys(std::size_t column, Range samples, char* texts) const override {
    dataset_.read_keys(column, samples, texts);
  }

 private:
  /// Position of the prefetching thread, which reads the windows in the order in which `next` needs them.
  struct Cursor {
    Index batch = 0;
    int stream = 0;
    std::vector<Index> window;  ///< newest window of each stream; -1 before the first
  };

  /// Pool of used window buffers. Reuse saves allocations and page faults. Safe for several threads.
  class BufferPool {
   public:
    Samples acquire() {
      const std::lock_guard lock(mutex_);
      if (buffers_.empty()) return {};
      Samples buffer = std::move(buffers_.back());
      buffers_.pop_back();
      return buffer;
    }
    void release(Samples buffer) {
      const std::lock_guard lock(mutex_);
      buffers_.push_back(std::move(buffer));
    }

   private:
    std::mutex mutex_;
    std::vector<Samples> buffers_;
  };

  void drop_windows();
  std::optional<Window> read_next(Cursor& cursor);
  const std::shared_ptr<const Window>& window(int stream, Index number);

  Dataset dataset_;
  SourceInfo info_;  ///< the dataset's, with windows
  Deal deal_;
  std::string window_;
  TimeWindows windows_;
  std::vector<Index> rows_;
  SampleOrder order_;  ///< order of the epoch, or of the window that stands for it
  Index epoch_ = 0;    ///< epoch or window
  Index batch_ = 0;
  BufferPool pool_;  ///< declared before the windows, which return their buffers to it
  std::vector<std::shared_ptr<const Window>> newest_windows_;  ///< newest window of each stream
  std::vector<WindowSlice> segments_;
  std::unique_ptr<ReadAhead<Window>> reader_;  ///< last, so that its thread stops before the members that it reads end
};

}  // namespace tesserec::data
