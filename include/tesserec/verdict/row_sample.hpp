// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::verdict {

/// Encoded row without its label.
struct RowValues {
  std::span<const float> dense;           ///< numbers [K]
  std::span<const Index> ids;             ///< ids of all features
  std::span<const std::size_t> bag_ends;  ///< ends of the features' bags in ids [F]
};

/// Encoded rows with one value of each feature.
struct PackedRows {
  Index rows = 0;
  std::size_t columns = 0, features = 0;   ///< K, F
  const float* dense = nullptr;            ///< numbers [rows, K] row-major
  const std::int32_t* ids = nullptr;       ///< ids [rows, F] row-major
  const std::uint8_t* positive = nullptr;  ///< 1 of rows with label 1, else 0 [rows]
};

/// Distinct row of a sample. Of a long bag it holds the first ids.
struct SampledRow {
  std::uint64_t digest = 0;
  std::array<Index, 2> labels{};  ///< rows of the data with these values and label 0, and label 1
  std::vector<float> dense;       ///< numbers [K]
  std::vector<Index> ids;
  std::vector<Index> bag_ends;  ///< [F]

  Index count() const { return labels[0] + labels[1]; }
};

/// Sample of the distinct rows of a data set: those with the smallest digests, each with all of its copies. It depends
/// neither on the order of the rows nor on the ranks, and samples of two data sets hold the same rows where both have
/// them (bottom-k sketch: Cohen and Kaplan 2007).
class RowSample {
 public:
  /// Takes the numbers of dense and of sparse features.
  RowSample(std::size_t dense, std::size_t features);

  /// Counts a row.
  void add(bool positive, const RowValues& row);
  /// Counts rows.
  void add(const PackedRows& rows);
  /// Merges the ranks' samples into rows(), the same on every rank. Collective.
  void gather(const comm::Communicator& comm);

  /// Returns the rows by ascending digest, after gather().
  const std::vector<SampledRow>& rows() const { return rows_; }
  /// Returns the digest up to which rows() has every row of the data.
  std::uint64_t limit() const { return limit_; }

 private:
  using Found = std::unordered_map<std::uint64_t, SampledRow>;
  SampledRow& begin_row(std::uint64_t digest);
  void prune();

  std::size_t dense_, features_, most_;
  std::uint64_t limit_ = ~std::uint64_t{0};
  Found found_;
  std::vector<Found::node_type> spare_;  ///< rows that were dropped, whose memory the next ones take
  std::vector<SampledRow> rows_;
};

}  // namespace tesserec::verdict
