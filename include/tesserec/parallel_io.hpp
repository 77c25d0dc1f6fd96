// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/parallel_io/folder_lock.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/parallel_io/state.hpp>
