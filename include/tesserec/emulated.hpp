// SPDX-License-Identifier: Apache-2.0
/// A device in the host's memory that behaves as a GPU does in what correctness depends on (src/emulated/README.md).
#pragma once

#include <tesserec/emulated/device.hpp>
#include <tesserec/emulated/fault.hpp>
#include <tesserec/emulated/launch.hpp>
#include <tesserec/emulated/memory.hpp>
#include <tesserec/emulated/settings.hpp>
