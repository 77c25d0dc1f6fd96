// SPDX-License-Identifier: Apache-2.0
// Digests of optimizers and learning rates. A change here changes the bits of every model.
#include <utility>

#include "catch.hpp"
#include "digest.hpp"
#include "numbers.hpp"
#include <tesserec/optim.hpp>

using namespace tesserec;
using namespace tesserec::optim;

namespace {

/// Returns the digest of three steps of a row with each kind of decay. Its 83 numbers fill no vector register evenly.
std::uint64_t digest_of(Type type) {
  const Index n = 83;
  std::uint64_t digest = test::digest_of_nothing;
  for (const Decay decay : {Decay::l2, Decay::decoupled}) {
    Settings settings;
    settings.type = type;
    settings.decay = decay;
    settings.weight_decay = 0.01;
    settings.ar_alpha = 0.1;
    std::vector<float> w = numbers(n, 0);
    std::vector<std::vector<float>> states(3, std::vector<float>(static_cast<std::size_t>(n)));
    for (Index step = 1; step <= 3; ++step) {
      const std::vector<float> g = numbers(n, 2 * step);
      move_row(step_scalars(settings, 0.05, step),
               {w.data(), g.data(), {states[0].data(), states[1].data(), states[2].data()}, {0, n}, n});
    }
    digest = test::digest(w, digest);
    for (const std::vector<float>& state : states) digest = test::digest(state, digest);
  }
  return digest;
}

}  // namespace

TEST_CASE("move_row: every type has the bits it had when this was written") {
  const std::vector<std::uint64_t> recorded = {
      0x422e1523677ca3c0, 0x3342bab28eb9e3c9, 0xefade1432c615bc5, 0xcb340fe86c08b0f9, 0xa9f5bf8576ab8524,
      0x46d8e7b67df386ef, 0x21970893ad7834c0, 0x5176b25624b278c0, 0xfc7dc6d23e1633d2, 0xf1c7c58201b4a7ea,
      0xe4143d46d7210bb9, 0xf741d94fecb6b974, 0xf2b553c7b772a364,
  };
  REQUIRE(recorded.size() == types().size());
  for (const TypeInfo& info : types()) {
    CAPTURE(info.name);
    CHECK(digest_of(info.type) == recorded[static_cast<std::size_t>(info.type)]);
  }
}

TEST_CASE("scheduled_rate: every policy has the bits it had when this was written") {
  std::vector<double> rates;
  for (const PolicyInfo& info : policies()) {
    ScheduleStage stage;
    stage.policy = info.policy;
    stage.max_steps = 300;
    stage.value = 0.7;
    stage.decay_steps = 11;
    stage.period = 70;
    for (Index step = 1; step <= 300; ++step) rates.push_back(scheduled_rate({.stages = {stage}}, 0.1, step));
  }
  CHECK(test::digest(rates) == 0x66942c659987131f);
}
