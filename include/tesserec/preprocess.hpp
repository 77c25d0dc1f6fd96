// SPDX-License-Identifier: Apache-2.0
#pragma once

/// preprocess: raw click logs become HDF5 datasets. run() reads the text twice, to learn the ids of the values and to
/// write samples; it is collective, and its files have the same bytes for any number of ranks. Errors of settings or
/// data are class Error, the same on every rank. docs/data.md shows the command, src/preprocess/README.md the format.
///
/// ```cpp
/// preprocess::Settings settings;  // format = criteo: 40 fields between tabs
/// settings.train = {"clicks/day_*.gz"};
/// settings.output = "clicks/hdf5";
/// preprocess::run(world, settings);  // writes clicks/hdf5/train.h5
/// ```

#include <tesserec/preprocess/block_fault.hpp>
#include <tesserec/preprocess/propose.hpp>
#include <tesserec/preprocess/report.hpp>
#include <tesserec/preprocess/run.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/preprocess/write_log.hpp>
