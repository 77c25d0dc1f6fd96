// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/embedding/row_store.hpp>
#include <tesserec/network/network.hpp>
#include <tesserec/scoring/id_rows.hpp>
#include <tesserec/scoring/model_folder.hpp>
#include <tesserec/store/checkpoint.hpp>

namespace tesserec::scoring {

/// Rows of a table as a scorer reads them.
struct ServedTable {
  embedding::EmbeddingBagConfig config;
  ServedFormat format = ServedFormat::fp32;
  /// Numbers of an id without a row in a growing table, which are exact in any format; none: zeros.
  std::optional<embedding::StartValues> unknown = {};
  const std::byte* rows = nullptr;  ///< [rows] of row_bytes(format, dim) each
  const IdRows* ids = nullptr;      ///< rows of the ids of a growing table; null: an id is the number of its row
};

struct ModelDelta;
class RawInputs;

/// A trained model for scoring: its rows and its network. Several ScoringContexts read it at once. The functions that
/// change it need it alone.
class ServedModel {
 public:
  /// Opens a model folder, whose rows are mapped, or a checkpoint, whose rows are read into memory. Compares a
  /// checkpoint with all its checksums; of a model folder it compares all but the rows, of which it compares the
  /// sizes (OpenFolder::verify_rows()). `rows`: format in which memory holds a checkpoint's rows,
  /// or format_of_rows() of it; without it, that of training. Throws Error if the folder is missing or
  /// damaged, or if `rows` is set for a model folder or does not hold a number.
  ServedModel(const Exec& exec, const std::string& folder, std::optional<ServedFormat> rows = {});
  /// Copies a model that was opened from a checkpoint.
  ServedModel(const Exec& exec, const ServedModel& from);
  ~ServedModel();
  ServedModel(const ServedModel&) = delete;

  const TrainedFacts& facts() const;
  const std::vector<ServedTable>& tables() const;
  const network::Network& network() const;
  /// Returns the number T of labels, which is that of a sample's scores.
  Index label_count() const;
  /// Returns the names of the labels [T], in the order of the scores; empty for a label without a name.
  const std::vector<std::string>& labels() const;
  /// Lists the features that the tables look up, each once, in the order of their first use.
  const std::vector<std::string>& features() const;
  /// Returns the end of the ids of a feature, which lie in [0, ids(f)) in all tables; the largest Index if all of its
  /// tables grow, because these take any 64-bit number.
  Index ids(std::size_t feature) const;
  /// Returns whether a table reads the weights of a feature's ids.
  bool weighted(std::size_t feature) const;
  /// Reads the vocabularies of the training's data set, so that a checkpoint's model takes raw values, too: `dataset`,
  /// or if empty one of data.train of its deck. If the model takes none, or no data set does, no_raw() says why. Throws
  /// Error if `dataset` does not do, or for a model folder.
  void read_vocabularies(const std::string& dataset);
  /// Returns the encoder of raw values, or null: a checkpoint has none before read_vocabularies(), nor has a folder
  /// that was exported without. Copies of a model share it.
  const RawInputs* raw() const;
  /// Returns why there is none.
  const std::string& no_raw() const;
  /// Returns the format to which pooled and un-pooled vectors are rounded before layers read them.
  NumberType vectors() const;

  /// Replaces the state by that of another checkpoint of the same model. Throws Error if the checkpoint is damaged, has
  /// another seal than was listed, or is of another model, whose ids, dense numbers or layers mean something else; or
  /// if a number does not fit the format of the rows. The weights may then be undefined up to copy().
  void read(const Exec& exec, const store::Checkpoint& checkpoint);
  /// Replaces the rows that a delta lists, and the network. Throws Error if the delta continues another state than the
  /// model's, or a number does not fit the format of the rows. The weights may then be undefined up to copy().
  void apply(const Exec& exec, const ModelDelta& delta);
  /// Takes the state of a model that was opened from the same folder with the same format.
  void copy(const Exec& exec, const ServedModel& other);
  /// Returns whether the weights are whole, and of the same step and seal as another model's.
  bool has_state_of(const ServedModel& other) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tesserec::scoring
