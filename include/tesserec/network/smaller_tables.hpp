// SPDX-License-Identifier: Apache-2.0
/// Tables of fewer numbers in front of any model: quotient and remainder (Shi et al., arXiv 1909.02107), and mixed
/// dimensions (Ginart et al., arXiv 1909.11810).
#pragma once

#include <vector>

#include <tesserec/embedding/settings.hpp>
#include <tesserec/network/settings.hpp>

namespace tesserec::network {

/// The dimension of each table by the power law dim * (rows of the smallest / rows)^temperature, at least 1: the
/// reference DLRM's md_solver. `round`: then to the power of two with the nearest logarithm, which may exceed dim.
std::vector<Index> mixed_dimensions(const std::vector<Index>& rows, double temperature, Index dim, bool round);

/// Returns the deck's tables as the model has them. Dimension 0 becomes settings.embedding_dim; tables above
/// md_threshold rows get a power-law dimension and a projection, those above qr_threshold become NAME_quotient and
/// NAME_remainder with the table's features. Tables of unknown rows (0) stay whole, and prevent solving. Throws
/// SettingError: collisions not fewer than the rows, a concat of an odd dimension.
std::vector<embedding::EmbeddingBagConfig> smaller_tables(std::vector<embedding::EmbeddingBagConfig> tables,
                                                          const Settings& settings);

}  // namespace tesserec::network
