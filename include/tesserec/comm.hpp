// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/communicator.hpp>
#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/message_channel.hpp>
#include <tesserec/comm/nccl.hpp>
#include <tesserec/comm/node.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/comm/run.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/comm/transport.hpp>
#include <tesserec/comm/transport_type.hpp>
#include <tesserec/comm/tree_reduce.hpp>
