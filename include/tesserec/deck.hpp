// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/deck/deck.hpp>
#include <tesserec/deck/schema.hpp>
