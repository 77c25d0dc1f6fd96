// SPDX-License-Identifier: Apache-2.0
/// Tables of fewer numbers in front of any model: quotient and remainder (Shi et al., arXiv 1909.02107), and mixed
/// dimensions (Ginart et al., arXiv 1909.11810).
#pragma once

#include <vector>

#include <tesserec/embedding/settings.hpp>
#include <tesserec/model/settings.hpp>

namespace tesserec::model {

/// The dimension of each table by the power law dim * (rows of the smallest / rows)^temperature, at least 1: the
/// reference DLRM's md_solver. `round`: then to the power of two with the nearest logarithm, which may exceed dim.
std::vector<Index> mixed_dimensions(const std::vector<Index>& rows, double temperature, Index dim, bool round);

/// The tables of a deck as the model has them: of dimension 0, settings.embedding_dim; of more rows than md_threshold,
/// by the power law, with a projection to settings.embedding_dim; and of more than qr_threshold, cut in two,
/// NAME_quotient and NAME_remainder, whose features stay the table's. Tables whose rows are not known yet (0) stay
/// whole, and while there is one no dimension is solved. Throws SettingError: collisions that are not fewer than the
/// rows, a concat of an odd dimension.
std::vector<embedding::EmbeddingBagConfig> smaller_tables(std::vector<embedding::EmbeddingBagConfig> tables,
                                                          const Settings& settings);

}  // namespace tesserec::model
