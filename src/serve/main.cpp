// SPDX-License-Identifier: Apache-2.0
// Program tesserec-serve: the server of `tesserec serve` without MPI, for machines that only serve.
#include <cstdio>
#include <string>
#include <vector>

#include "version.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/process.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/serve/program.hpp>
#include <tesserec/store/hdf5.hpp>

namespace {

using namespace tesserec;

std::string help() {
  std::vector<Option> options = serve::options();
  options.push_back({"--json", "", "print exactly one JSON object on stdout"});
  options.push_back({"--help", "", "print this help and exit"});
  options.push_back({"--version", "", "print the versions of the program and its libraries"});
  return "usage: tesserec-serve FOLDER [OPTION]...\n\nanswer requests for scores of a model folder, or of a run that "
         "trains, by HTTP: tesserec serve, without MPI\n\n" +
         option_lines(options);
}

serve::ServerStart start_of(const std::vector<std::string>& words) {
  check_words(words);
  serve::ServerStart start;
  const std::vector<Option> options = serve::options();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--json")
      start.json = true;
    else if (word.size() > 1 && word[0] == '-') {
      if (!read_option(options, words, i, start.options))
        fail("tesserec-serve has no option ", word, "; tesserec-serve --help lists them");
    } else if (!start.folder.empty())
      fail("tesserec-serve takes one FOLDER, but got \"", start.folder, "\" and \"", word, "\"");
    else
      start.folder = word;
  }
  if (start.folder.empty()) fail("tesserec-serve needs a path: tesserec-serve FOLDER");
  return start;
}

int run(const std::vector<std::string>& words) {
  prepare_process();
  for (const std::string& word : words) {
    std::string text;
    if (word == "--help" || word == "-h") text = help();
    if (word == "--version")
      text = concat("tesserec-serve " TESSEREC_VERSION ", Kokkos ", kokkos_version(), ", HDF5 ", store::hdf5_version(),
                    "\n");
    if (text.empty()) continue;
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  const serve::ServerStart start = start_of(words);
  require_gpu();
  const Kokkos::ScopeGuard kokkos;
  return serve::run(Exec(), start);
}

}  // namespace

int main(int argc, char** argv) {
  const Outcome outcome = outcome_of([&] { return run({argv + (argc > 0 ? 1 : 0), argv + argc}); });
  if (!outcome.message.empty()) log_error(outcome.message);
  return outcome.code;
}
