// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include <tesserec/comm/environment.hpp>

namespace tesserec::comm {
namespace {

constexpr double verdict_patience = 2.0;  // seconds

}  // namespace

int verdict(const Communicator& last_word, const Outcome& mine, const std::function<void(const std::string&)>& note) {
  const bool failed = !mine.message.empty();
  // Ranks that fail alike end one after the other, so that one speaks.
  const double turn = 0.1 * std::min(last_word.rank(), 20);
  if (!last_word.meet(failed ? verdict_patience + turn : std::numeric_limits<double>::infinity())) {
    std::fflush(stdout);
    abort(last_word, mine.code, mine.message);
  }
  const std::vector<int> failures = last_word.all_gather(failed ? 1 : 0);
  const std::vector<int> codes = last_word.all_gather(mine.code);
  const auto lowest = std::find(failures.begin(), failures.end(), 1);
  if (lowest == failures.end()) return *std::max_element(codes.begin(), codes.end());
  if (lowest - failures.begin() == last_word.rank()) {
    note(mine.message);
    say(mine.message);
  }
  last_word.barrier();  // the message is out before a launcher ends the others
  return codes[lowest - failures.begin()];
}

}  // namespace tesserec::comm
