// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>

namespace tesserec::scoring {

/// Model of a checkpoint or a model folder for scoring in one process, without MPI and without optimizer states. Its
/// scores have the bits of `tesserec predict` if the rows are exact.
class Scorer {
 public:
  /// Opens the checkpoint or model folder `folder`, as ServedModel does. Throws Error if it is damaged or holds no deck
  /// (train::save without one).
  Scorer(const Exec& exec, const std::string& folder);
  Scorer(Scorer&&) noexcept;
  ~Scorer();

  /// Lists the features that the tables look up, each once, in the order of their first use.
  std::vector<std::string> features() const;
  /// Returns the number of dense features.
  Index dense_features() const;
  /// Returns the names of the dense features, or none if the checkpoint has none.
  const std::vector<std::string>& dense_names() const;
  /// Returns the number of steps that the model was trained.
  Index step() const;

  /// Returns the names of the T labels; empty for one label without a name.
  const std::vector<std::string>& labels() const;

  /// Predicts the probabilities [B, T] of T labels of B samples, row-major. `dense` [B, dense_features()] must be
  /// transformed as the training data were. `sparse` holds the ids of features(), and may hold other features. Call it
  /// from one thread at a time; its loops run on the threads of `exec`. Throws Error if a feature is missing, an id is
  /// outside its table, the shape of `dense` does not fit, or a score is not finite.
  std::vector<float> predict(const Exec& exec, const Matrix<float>& dense,
                             const jagged::KeyedJaggedTensor& sparse) const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace tesserec::scoring
