#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Inside a container of Debian 12, as root, the steps of Containerfile and tesserec.def:
#   install.sh packages   what it takes to compile
#   install.sh build      compiles the tree that this script lies in and installs to /usr/local
#   install.sh runtime    what the program needs of Debian; packages.sh lies beside this script or in the tree
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ -e $here/packages.sh ]]; then source "$here/packages.sh"; else source "$here/../packages.sh"; fi

case ${1:-} in
  packages) need_packages "${program_packages[@]}" ;;
  build)
    cmake -S "$here/../.." -B /tmp/build -G Ninja -DTESSEREC_TESTS=OFF
    ninja -C /tmp/build -j "${JOBS:-$(nproc)}"
    cmake --install /tmp/build --strip
    rm -rf /tmp/build
    ;;
  runtime) need_packages "${runtime_packages[@]}" ;;
  *)
    echo "usage: install.sh packages | build | runtime" >&2
    exit 2
    ;;
esac
rm -rf /var/lib/apt/lists/*
