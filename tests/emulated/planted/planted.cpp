// SPDX-License-Identifier: Apache-2.0
// planted NAME: runs a program with one fault, which the emulated device must report. planted NAME right: runs the same
// program without the fault; it must end quietly. planted: lists the faults as "NAME BUILD REPORT". BUILD is the
// library that reports the fault (plain: with g++'s calls before each access; threads, addresses: with a sanitizer),
// REPORT the text of the report.
#include "planted.hpp"

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  std::vector<planted::Fault> all = planted::of_memory();
  for (const auto& more : {planted::of_order(), planted::of_threads()}) all.insert(all.end(), more.begin(), more.end());
  if (argc < 2) {
    for (const planted::Fault& one : all) std::printf("%s %s %s\n", one.name, one.build, one.report);
    return 0;
  }
  planted::right = argc > 2 && std::strcmp(argv[2], "right") == 0;
  for (const planted::Fault& one : all)
    if (std::strcmp(argv[1], one.name) == 0) {
      one.run();
      return 0;
    }
  std::fprintf(stderr, "planted: no fault is named %s\n", argv[1]);
  return 2;
}
