// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/store/checksum.hpp>
#include <tesserec/store/hdf5.hpp>
