// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>

namespace tesserec::scoring {

/// The model of a checkpoint, for scoring in one process: it needs no MPI and has no optimizer states. Its scores have
/// the bits of `tesserec predict`.
class Scorer {
 public:
  /// Reads the model's deck, its weights and what it says of its data from the checkpoint in `folder`. Compares the
  /// whole checkpoint with its seals. Error: it is damaged, or no program wrote its deck (train::save without one).
  Scorer(const Exec& exec, const std::string& folder);
  Scorer(Scorer&&) noexcept;
  ~Scorer();

  /// Names the features that the tables look up, each once, in the order of their first use.
  std::vector<std::string> features() const;
  /// Number of dense features, and their names where the checkpoint has them.
  Index dense_features() const;
  const std::vector<std::string>& dense_names() const;
  /// Steps that the model was trained.
  Index step() const;

  /// Scores B samples: `dense` [B, dense_features()], transformed as the training data were; `sparse`, the ids of
  /// features(), which may hold others too. Returns probabilities [B]. Error: a feature is missing, an id is outside of
  /// its table, numbers of samples differ. One thread calls; the loops run on the threads of `exec`.
  std::vector<float> predict(const Exec& exec, const Matrix<float>& dense,
                             const jagged::KeyedJaggedTensor& sparse) const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace tesserec::scoring
