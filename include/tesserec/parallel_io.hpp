// SPDX-License-Identifier: Apache-2.0
#pragma once

/// parallel_io: files and checkpoints that all ranks of a job write and read together.
/// write_state() writes named matrices of which each rank owns slabs, and read_state() fills the slabs of any other
/// partition. A file has the same bytes for any number of ranks. A `CheckpointFolder` makes a checkpoint of that file.
/// prepare() makes the folder, write() writes a checkpoint, list() finds the whole ones and prune() removes old ones. A
/// kill at any instant leaves every whole checkpoint whole. open_checkpoint() compares a checkpoint with its seals. A
/// `FolderLock` keeps other jobs out of a folder until it ends. All functions are collective, and an Error of one rank
/// is thrown on all. The communicator outlives the folder; the rows outlive the `StateItem` that names them. A number
/// whose square is not finite throws Diverged before anything is written. docs/formats.md describes the files.
///
/// ```cpp
/// const Index rows = 1000, first = rows * world.rank() / world.size(), end = rows * (world.rank() + 1) / world.size();
/// std::vector<float> weights((end - first) * 8);  // this rank's rows, [end - first, 8]
/// const std::vector<store::StateItem> items{{.name = "tables/item/weight", .rows = rows, .columns = 8,
///                                            .slab = {.first_row = first, .rows = end - first},
///                                            .source = store::placed_rows(weights.data(), 8)}};
/// const parallel_io::FolderLock lock(world, "runs/mine", 60);  // waits at most 60 s
/// const parallel_io::CheckpointFolder folder(world, "runs/mine/checkpoints");
/// const store::Checkpoint newest = folder.write(100, [&](const std::string& path) {
///   return parallel_io::write_state(exec, world, path, items, {{"step", Index{100}}});
/// });
/// const store::OpenCheckpoint open = parallel_io::open_checkpoint(world, newest.folder);
/// parallel_io::read_state(exec, world, open.state, items);
/// ```

#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/parallel_io/folder_lock.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/parallel_io/state.hpp>
