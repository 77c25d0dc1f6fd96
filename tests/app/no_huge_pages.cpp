// SPDX-License-Identifier: Apache-2.0
// no_huge_pages PROGRAM ARGS...: runs the program without transparent huge pages. Exits with 77 if the kernel refuses.
#include <cstdio>

#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 2 || prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) return 77;
  execvp(argv[1], argv + 1);
  std::perror(argv[1]);
  return 77;
}
