// SPDX-License-Identifier: Apache-2.0
#pragma once

/// raw: what a row of raw texts is, and what becomes of its fields. `make_row_format` makes the format that the columns
/// of [preprocess] describe; it parses lines and fields to rows of numbers and texts. `NumberTransform` transforms a
/// number, `hashed_id` hashes a text. The library needs no MPI: `preprocess` makes data sets with it, `scoring` scores
/// requests, so that both have the same bits. src/raw/README.md lists the rules.
///
/// ```cpp
/// raw::RowSettings settings;  // format = criteo: 40 fields between tabs
/// const auto format = raw::make_row_format(settings);
/// raw::FileColumns columns;
/// raw::Row row;
/// format->find_columns({}, raw::Targets::required, columns);
/// const std::string line = "1" + std::string(39, '\t');  // a click; all fields are missing
/// const std::string reason = format->parse(line, columns, row);  // empty, or what is wrong with the row
/// ```

#include <tesserec/raw/column_fault.hpp>
#include <tesserec/raw/feature_form.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/fields.hpp>
#include <tesserec/raw/header.hpp>
#include <tesserec/raw/quantiles.hpp>
#include <tesserec/raw/row_format.hpp>
#include <tesserec/raw/settings.hpp>
#include <tesserec/raw/side_columns.hpp>
#include <tesserec/raw/text_parts.hpp>
#include <tesserec/raw/times.hpp>
#include <tesserec/raw/transforms.hpp>
