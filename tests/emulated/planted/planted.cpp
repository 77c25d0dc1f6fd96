// SPDX-License-Identifier: Apache-2.0
// planted NAME: runs a program with one fault, which the emulated device must report. planted NAME right: runs the same
// program without the fault; it must end quietly. planted: lists the faults as "NAME BUILD REPORT". BUILD is the
// library that reports the fault (plain: with g++'s calls before each access; threads, addresses: with a sanitizer),
// REPORT the text of the report.
#include "planted.hpp"

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  std::vector<planted::Fault> faults = planted::of_memory();
  for (const auto& list : {planted::of_order(), planted::of_threads()})
    faults.insert(faults.end(), list.begin(), list.end());
  if (argc < 2) {
    for (const planted::Fault& entry : faults) std::printf("%s %s %s\n", entry.name, entry.build, entry.report);
    return 0;
  }
  planted::right = argc > 2 && std::strcmp(argv[2], "right") == 0;
  for (const planted::Fault& entry : faults)
    if (std::strcmp(argv[1], entry.name) == 0) {
      entry.run();
      return 0;
    }
  std::fprintf(stderr, "planted: no fault is named %s\n", argv[1]);
  return 2;
}
