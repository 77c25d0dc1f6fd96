// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/store/agree.hpp>
#include <tesserec/store/checkpoint_folder.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/hdf5.hpp>
#include <tesserec/store/state.hpp>
