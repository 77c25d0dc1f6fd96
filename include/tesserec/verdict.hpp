// SPDX-License-Identifier: Apache-2.0
#pragma once

/// verdict: what is odd about data, found before a model is trained on them. RowFacts collects a data set's facts row by
/// row, on any number of ranks; judge() turns the facts of training and evaluation data into findings, each with a
/// severity, its columns or files, and figures. Nothing here throws for odd data.
///
/// ```cpp
/// verdict::RowFacts rows(dense, features, files);
/// rows.add(file, label > 0, {numbers, ids, bag_ends});  // each row
/// rows.gather(comm, train);                             // into SetFacts
/// for (const std::string& line : verdict::lines(verdict::judge({&train}, columns))) log_info(line);
/// ```

#include <tesserec/verdict/facts.hpp>
#include <tesserec/verdict/finding.hpp>
#include <tesserec/verdict/judge.hpp>
#include <tesserec/verdict/row_sample.hpp>
