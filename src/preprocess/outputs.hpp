// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "survey.hpp"
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/preprocess/report.hpp>

namespace tesserec::preprocess {

/// Dataset that the command writes.
struct Output {
  std::string name;  ///< "train", in the key and in the file's name
  const std::vector<std::string>& patterns;
  DatasetReport& report;
  bool learns = false;
  std::string path = {};
  std::vector<RawFile> files = {};
  Survey survey = {};
  std::unique_ptr<parallel_io::PartedWriter> file = {};
  SplitSide side = {};

  bool wanted() const { return !patterns.empty(); }
  std::string key() const { return "preprocess." + name; }
  Targets targets() const { return name == "predict" ? Targets::unread : Targets::required; }
};

/// Warns of datasets from earlier runs in the output folder, whose ids may be those of another vocabulary.
void warn_of_older(const std::array<Output*, 3>& outputs);

/// Gives the written datasets their names, which no signal ends halfway. Throws Error, naming those that have theirs,
/// if one fails behind them. Collective.
void publish(const std::array<Output*, 3>& outputs);

}  // namespace tesserec::preprocess
