// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/model/dlrm.hpp>
#include <tesserec/model/settings.hpp>
