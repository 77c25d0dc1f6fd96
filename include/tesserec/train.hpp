// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/train/job.hpp>
#include <tesserec/train/phases.hpp>
#include <tesserec/train/settings.hpp>
#include <tesserec/train/step.hpp>
#include <tesserec/train/tables.hpp>
