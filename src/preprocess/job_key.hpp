// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "raw_files.hpp"
#include <tesserec/preprocess/settings.hpp>

namespace tesserec::preprocess {

/// Returns 16 hexadecimal digits of the names, sizes, times and sampled bytes of raw files.
std::string files_key(std::span<const RawFile> files);

/// Returns 16 hexadecimal digits of what decides the results of the first reading: the program's version, the settings,
/// the vocabulary's data set, the raw files that are given and `others` that decide their rows: side tables and files
/// of sequences, with the stamps of before they were read. Work of a job with another key is of no use.
std::string job_key(const Settings& settings, std::span<const RawFile> files, std::span<const RawFile> others = {});

}  // namespace tesserec::preprocess
