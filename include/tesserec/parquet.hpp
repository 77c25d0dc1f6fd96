// SPDX-License-Identifier: Apache-2.0
#pragma once

/// parquet: rows of Parquet files as texts, if is_built(). shape_of() reads a file's columns and row groups; a
/// `RowReader` reads the rows of some row groups, a `GroupWriter` writes a file of integers and texts. Nothing here
/// communicates: ranks share a file by its row groups. Texts are valid until the next row. Functions throw class Error,
/// naming the file, for a damaged file, for types without a text, and for any file in a build without Arrow.
/// src/parquet/README.md has the files; docs/data.md ("Parquet") says what preprocess makes of them.
///
/// ```cpp
/// const parquet::FileShape shape = parquet::shape_of("clicks.parquet");
/// std::vector<parquet::ColumnChoice> choices(shape.columns.size());
/// choices.front().read = true;
/// const auto rows = parquet::open_rows("clicks.parquet", {0, shape.row_groups}, choices, "NA");
/// for (std::vector<std::string_view> fields; rows->next(fields);) comm::say(std::string(fields.front()));
/// ```

#include <tesserec/parquet/reader.hpp>
#include <tesserec/parquet/writer.hpp>
