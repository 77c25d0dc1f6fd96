// SPDX-License-Identifier: Apache-2.0
/// Warnings of keys that a deck sets and nothing reads.
#pragma once

#include <string>
#include <vector>

#include "job.hpp"

namespace tesserec::app {

/// Warns on rank 0 of the keys in these blocks of the deck (none = all) that nothing reads.
void warn_of_unread_keys(const comm::Communicator& comm, const deck::Deck& deck,
                         const std::vector<std::string>& blocks = {});

/// Warns on rank 0 of keys about caches that no table reads under the session's plan.
void warn_of_unread_caches(const train::Session& session, const deck::Deck& deck);

/// Warns on rank 0 of keys about caches that no table can read under any plan of the deck, whose tables are filled in
/// as far as they are known.
void warn_of_unread_caches(const comm::Communicator& comm, const deck::Deck& deck);

}  // namespace tesserec::app
