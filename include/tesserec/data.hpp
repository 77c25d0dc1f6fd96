// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/data/batch.hpp>
#include <tesserec/data/preprocess.hpp>
#include <tesserec/data/settings.hpp>
#include <tesserec/data/source.hpp>
