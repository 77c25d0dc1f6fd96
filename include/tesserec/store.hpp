// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/store/checkpoint.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/file_list.hpp>
#include <tesserec/store/hdf5.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/store/parted_file.hpp>
#include <tesserec/store/parts.hpp>
#include <tesserec/store/run_end.hpp>
#include <tesserec/store/seal.hpp>
#include <tesserec/store/slab_source.hpp>
#include <tesserec/store/state.hpp>
#include <tesserec/store/text_draft.hpp>
