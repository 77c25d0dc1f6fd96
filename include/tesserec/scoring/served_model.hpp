// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/network/network.hpp>
#include <tesserec/scoring/model_folder.hpp>

namespace tesserec::scoring {

/// Rows of a table as a scorer reads them.
struct ServedTable {
  embedding::EmbeddingBagConfig config;
  ServedFormat format = ServedFormat::fp32;
  const std::byte* rows = nullptr;  ///< [rows] of row_bytes(format, dim) each
};

/// A trained model for scoring: its rows and its network, which do not change. Several ScoringContexts read it at once.
class ServedModel {
 public:
  /// Opens a model folder, whose rows are mapped, or a checkpoint, whose rows are read into memory. Compares a
  /// checkpoint with all its checksums; of a model folder it compares the manifest, the network and the sizes of the
  /// rows' files (verify_model_folder() reads the rows, too). Throws Error if the folder is missing or damaged, and for
  /// tables that grow.
  ServedModel(const Exec& exec, const std::string& folder);
  ~ServedModel();
  ServedModel(const ServedModel&) = delete;

  const TrainedFacts& facts() const;
  const std::vector<ServedTable>& tables() const;
  const network::Network& network() const;
  /// Lists the features that the tables look up, each once, in the order of their first use.
  const std::vector<std::string>& features() const;
  /// Returns the end of the ids of a feature, which lie in [0, ids(f)) in all tables.
  Index ids(std::size_t feature) const;
  /// Returns whether a table reads the weights of a feature's ids.
  bool weighted(std::size_t feature) const;
  /// Returns the format to which pooled and un-pooled vectors are rounded before layers read them.
  NumberType vectors() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tesserec::scoring
