// SPDX-License-Identifier: Apache-2.0
#pragma once

/// data: sources of batches from HDF5 datasets or generators. make_source() makes the `Source` that `Settings` name:
/// files, a generator or a type that add_source_type() added. A `Deal` says which samples a rank gets: those of its
/// lanes in each global batch. limit_rows() and limit_labels() set the valid ids and labels before the first batch.
/// seek() then sets epoch and batch, and each next() fills a `Batch` with a micro-batch until the epoch ends. A rank
/// has one source and calls it from one thread; its calls are not collective. next() overwrites the views of the batch
/// it is given. Invalid settings or data throw class Error on one rank, so put calls in comm::agree(), as
/// train::open_source() does. docs/data.md shows the program's commands, src/data/README.md the order of samples.
///
/// ```cpp
/// data::Settings settings;  // settings.train = {"clicks/*.h5"} reads files
/// settings.synthetic.kind = data::SyntheticKind::planted;
/// settings.synthetic.samples = 20'000;
/// settings.synthetic.rows = {2000, 500, 30};
/// const data::Deal deal{
///     .rank = world.rank(), .ranks = world.size(), .lanes = Lanes(4), .batch_size = 256, .shuffle = true};
/// std::unique_ptr<data::Source> source;
/// comm::agree(world, [&] { source = data::make_source(settings, data::Use::train, deal); });
/// data::Batch batch(exec);
/// Index ids = 0;  // ids of the first feature in this rank's samples
/// for (source->seek(0, 0); source->next(batch);)
///   for (Index sample = 0; sample < batch.size; ++sample) ids += batch.sparse.length(0, sample);
/// ```

#include <tesserec/data/batch.hpp>
#include <tesserec/data/columns.hpp>
#include <tesserec/data/content.hpp>
#include <tesserec/data/dataset.hpp>
#include <tesserec/data/id_shares.hpp>
#include <tesserec/data/labels.hpp>
#include <tesserec/data/make_source.hpp>
#include <tesserec/data/planted.hpp>
#include <tesserec/data/reference.hpp>
#include <tesserec/data/reuse_profile.hpp>
#include <tesserec/data/sample_order.hpp>
#include <tesserec/data/settings.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/data/source_types.hpp>
#include <tesserec/data/synthetic.hpp>
#include <tesserec/data/synthetic_source.hpp>
#include <tesserec/data/window_width.hpp>
