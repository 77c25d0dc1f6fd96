// SPDX-License-Identifier: Apache-2.0
// One main for all tests: owns MPI and Kokkos, and fails on every rank when a test fails on one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <mpi.h>
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using Listener = Catch::EventListenerBase;
#else
#define CATCH_CONFIG_RUNNER
#ifdef TESSEREC_EMULATED
#define CATCH_CONFIG_NO_POSIX_SIGNALS  // the emulated device has its own handler
#endif
#include <catch2/catch.hpp>
using Listener = Catch::TestEventListenerBase;
#endif

#include <tesserec/comm/environment.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/kokkos.hpp>

namespace {

std::optional<tesserec::comm::Communicator> world;

std::string text_of(const Catch::AssertionStats& stats) {
  const Catch::AssertionResult& result = stats.assertionResult;
  std::ostringstream text;
  text << result.getSourceInfo() << ": FAILED";
  if (result.hasExpression()) text << ":\n  " << result.getExpressionInMacro();
  if (result.hasExpandedExpression()) text << "\nwith expansion:\n  " << result.getExpandedExpression();
  for (const auto& info : stats.infoMessages) text << "\n  " << info.message;
  return text.str();
}

/// A rank that leaves a test would let the others wait in a collective call: unless all of them leave at the same
/// place, the job ends.
class EndsTogether : public Listener {
 public:
  using Listener::Listener;
  using Ended = decltype(std::declval<Listener&>().assertionEnded(std::declval<const Catch::AssertionStats&>()));

  Ended assertionEnded(const Catch::AssertionStats& stats) override {
    if (leaves(stats.assertionResult) && !all_leave(stats.assertionResult)) end(stats);
    return Ended();
  }

 private:
  /// A CHECK goes on; after a signal nothing more can be asked of MPI, and the launcher ends the job.
  static bool leaves(const Catch::AssertionResult& result) {
    return world->size() > 1 && !result.isOk() && result.getResultType() != Catch::ResultWas::FatalErrorCondition &&
           std::string(result.getTestMacroName()).find("CHECK") == std::string::npos;
  }

  static bool all_leave(const Catch::AssertionResult& result) {
    if (!world->barrier_within(2.0)) return false;
    std::ostringstream place;
    place << result.getSourceInfo();
    const std::vector<std::size_t> places = world->all_gather(std::hash<std::string>()(place.str()));
    return std::count(places.begin(), places.end(), places.front()) == world->size();
  }

  [[noreturn]] void end(const Catch::AssertionStats& stats) const {
    std::fflush(stdout);
    std::fprintf(stderr, "\nrank %d of %d failed where others did not, in \"%s\":\n%s\n", world->rank(), world->size(),
                 currentTestCaseInfo->name.c_str(), text_of(stats).c_str());
    std::fflush(stderr);
    tesserec::comm::abort(*world, 1, "the job ends");
  }
};
CATCH_REGISTER_LISTENER(EndsTogether)

/// Runs the tests that the command line names. With TESSEREC_FIRST_FAILURE set, a process alone ends at its first
/// failure; of several ranks one would leave the others in a collective call.
int run_tests(int argc, char** argv) {
  Catch::Session session;
  const int wrong = session.applyCommandLine(argc, argv);
  if (wrong != 0) return wrong;
  if (std::getenv("TESSEREC_FIRST_FAILURE") != nullptr && world->size() == 1) session.configData().abortAfter = 1;
  return session.run();
}

}  // namespace

int main(int argc, char** argv) {
  const tesserec::comm::Environment mpi(argc, argv);
  try {
    tesserec::require_gpu();
  } catch (const tesserec::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  Kokkos::initialize(argc, argv);
  world.emplace(MPI_COMM_WORLD);
  const int failed = run_tests(argc, argv);
  const bool failed_anywhere = world->max(failed) != 0;
  world.reset();
  Kokkos::finalize();
  return failed_anywhere ? 1 : 0;
}
