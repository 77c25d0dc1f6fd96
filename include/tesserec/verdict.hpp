// SPDX-License-Identifier: Apache-2.0
#pragma once

/// verdict: what is odd about data, found before a model is trained on them. RowFacts collects a data set's facts row
/// by row, on any number of ranks; judge() turns the facts of training and evaluation data into findings, each with a
/// severity, its columns or files, and figures. Nothing here throws for odd data.
///
/// ```cpp
/// verdict::SetFacts train{.name = "train", .files = {{.path = "train.h5", .rows = 1}}};
/// verdict::RowFacts rows(1, 1, 1);  // a number and a feature, in one file
/// const std::vector<float> numbers = {0.5f};
/// const std::vector<Index> ids = {7};
/// const std::vector<std::size_t> bag_ends = {1};
/// rows.add(0, true, {numbers, ids, bag_ends});  // each row of this rank
/// rows.gather(world, train);
/// const auto findings = verdict::judge({&train}, {.dense = {"price"}, .indicator = {false}, .features = {"item"}});
/// const std::vector<std::string> lines = verdict::lines(findings);
/// ```

#include <tesserec/verdict/facts.hpp>
#include <tesserec/verdict/finding.hpp>
#include <tesserec/verdict/judge.hpp>
#include <tesserec/verdict/row_sample.hpp>
