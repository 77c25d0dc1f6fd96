// SPDX-License-Identifier: Apache-2.0
#pragma once

/// store: sealed HDF5 files, checksums, locks and checkpoints on disk, as one process writes and reads them.
/// It moves named matrices and notices when they are not what was written. File::create() builds a file in memory;
/// File::close() seals, writes, verifies and renames it. Until then an older file of that name stays.
/// PartedFile::open() reads a file or an index with its parts, and verify_parts() compares the parts with their seals.
/// open_checkpoint() opens a checkpoint, list_state() lists its matrices, compare_states() names those that differ, and
/// read_state() fills memory from them. No function is collective, and none needs MPI; parallel_io does the same with
/// all ranks. One lock guards all HDF5 calls of the process. A `FileLock` keeps other jobs out until it ends. Damage, a
/// full disk or a file of a newer version throws class Error that names file and object. docs/formats.md describes the
/// files, src/store/README.md the code.
///
/// ```cpp
/// const std::vector<Index> ids{3, 1, 4};
/// store::File file = store::File::create("ids.h5");  // in memory
/// file.write_all("shop/ids", {std::ssize(ids)}, ids.data());
/// file.set_attribute<std::string>("shop", "unit", "row");
/// file.close();  // on the disk from here on
/// const store::PartedFile stored = store::PartedFile::open("ids.h5");
/// stored.verify_parts();
/// std::vector<Index> last(2);
/// stored.read("shop/ids", {.first_row = 1, .rows = 2}, last.data());  // 1, 4
/// if (stored.index().attribute<std::string>("shop", "unit") != "row") fail(stored.path(), ": other units");
/// ```

#include <tesserec/store/checkpoint.hpp>
#include <tesserec/store/checkpoint_list.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/difference.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/file_list.hpp>
#include <tesserec/store/folder_draft.hpp>
#include <tesserec/store/hdf5.hpp>
#include <tesserec/store/json_digest.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/store/mapped_file.hpp>
#include <tesserec/store/parted_file.hpp>
#include <tesserec/store/parts.hpp>
#include <tesserec/store/row_digests.hpp>
#include <tesserec/store/run_end.hpp>
#include <tesserec/store/seal.hpp>
#include <tesserec/store/slab_source.hpp>
#include <tesserec/store/state.hpp>
#include <tesserec/store/tensor_file.hpp>
#include <tesserec/store/text_draft.hpp>
#include <tesserec/store/word_rows.hpp>
