// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/schema/flat.hpp>
#include <tesserec/schema/key.hpp>
#include <tesserec/schema/key_info.hpp>
#include <tesserec/schema/lines.hpp>
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/schema/model_rows.hpp>
#include <tesserec/schema/own_rows.hpp>
#include <tesserec/schema/read.hpp>
#include <tesserec/schema/section.hpp>
#include <tesserec/schema/suggest.hpp>
#include <tesserec/schema/value.hpp>
