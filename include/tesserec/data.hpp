// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/data/batch.hpp>
#include <tesserec/data/columns.hpp>
#include <tesserec/data/content.hpp>
#include <tesserec/data/dataset.hpp>
#include <tesserec/data/id_shares.hpp>
#include <tesserec/data/make_source.hpp>
#include <tesserec/data/planted.hpp>
#include <tesserec/data/preprocess.hpp>
#include <tesserec/data/reference.hpp>
#include <tesserec/data/sample_order.hpp>
#include <tesserec/data/settings.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/data/source_types.hpp>
#include <tesserec/data/synthetic.hpp>
#include <tesserec/data/synthetic_source.hpp>
