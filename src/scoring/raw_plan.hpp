// SPDX-License-Identifier: Apache-2.0
/// Plan by which raw values of a request become the inputs of a model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/raw/row_format.hpp>
#include <tesserec/raw/transforms.hpp>
#include <tesserec/scoring/raw_inputs.hpp>

namespace tesserec::scoring {

/// Input column of a request, and its place in the format.
struct PlannedColumn {
  RawColumn column;
  std::size_t field = 0;   ///< field of the row
  Index length = 0;        ///< items of a sequence that are kept, the last ones; 0 = no sequence
  bool is_number = false;  ///< true if `probe` is a dense feature, false if it is a sparse one
  std::size_t probe = 0;   ///< feature of the format that is missing if the column's value is
};

/// Sparse feature of the model, made by the format.
struct PlannedFeature {
  std::size_t place = 0;                  ///< feature of the format
  raw::FeatureForm form;                  ///< its form
  bool weighted = false;                  ///< true if the model reads weights
  std::vector<std::size_t> columns = {};  ///< input columns that it is made of
};

/// The columns of a deck as the inputs of a model.
struct RawPlan {
  std::unique_ptr<raw::RowFormat> format;
  raw::FileColumns places;
  std::size_t fields = 0;  ///< fields of a row
  std::string null;        ///< text of a missing value
  bool has_null = true;    ///< false if preprocess.missing is empty, so that no text is a missing value
  std::vector<PlannedColumn> columns;
  std::vector<std::size_t> dense;                ///< dense feature of the format for each of the model [K]
  std::vector<raw::NumberTransform> transforms;  ///< of the dense features [K]
  std::vector<PlannedFeature> features;          ///< of the model [F]
};

/// Makes the plan of a model by its deck. Throws Error with the reason if the deck's columns do not make its inputs.
RawPlan raw_plan(const TrainedFacts& facts, const std::vector<ServedFeature>& features);

}  // namespace tesserec::scoring
