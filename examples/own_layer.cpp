// SPDX-License-Identifier: Apache-2.0
// A layer and a loss of one's own, with their gradients beside differences: what to run before they are trained.
#include <iostream>

#include "two_tasks.hpp"
#include <tesserec/comm.hpp>
#include <tesserec/layers.hpp>
#include <tesserec/losses.hpp>

using namespace tesserec;

namespace {

int run(const comm::Communicator& world) {
  const auto say = [&](const char* what, const CheckedGradient& checked) {
    if (world.rank() == 0)
      std::cout << what << ": " << checked.numbers << " gradients agree with differences" << std::endl;
  };
  // An Error, and so exit code 2, where they do not.
  say("softmax", layers::check_gradient(Exec(), two_tasks::Softmax(5), {{{5}}}));
  say("two_tasks", losses::check_gradient(two_tasks::TwoTasks(), 2, {0, 1, 3}));
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return comm::run(argc, argv, run); }
