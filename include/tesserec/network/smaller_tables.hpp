// SPDX-License-Identifier: Apache-2.0
/// Table compression in front of any model: quotient and remainder (Shi et al., arXiv 1909.02107), and mixed dimensions
/// (Ginart et al., arXiv 1909.11810).
#pragma once

#include <vector>

#include <tesserec/embedding/settings.hpp>
#include <tesserec/network/settings.hpp>

namespace tesserec::network {

/// Computes each table's dimension by the power law dim * (rows of the smallest / rows)^temperature, rounded and at
/// least 1, as the reference DLRM's md_solver does. `round` then takes the power of two with the nearest logarithm,
/// which may exceed `dim`.
std::vector<Index> mixed_dimensions(const std::vector<Index>& rows, double temperature, Index dim, bool round);

/// Returns the deck's tables as the model uses them. Dimension 0 becomes settings.embedding_dim, or, above md_threshold
/// rows, a power-law dimension with a projection. A table of unknown rows (0) prevents the latter for all tables.
/// Tables above qr_threshold rows, or with qr_collisions of their own, become NAME_quotient and NAME_remainder with the
/// table's features. Tables of unknown rows and tables with un-pooled features stay whole. Throws SettingError if the
/// collisions are not fewer than the rows, or if concat halves an odd dimension.
std::vector<embedding::EmbeddingBagConfig> smaller_tables(std::vector<embedding::EmbeddingBagConfig> tables,
                                                          const Settings& settings);

}  // namespace tesserec::network
