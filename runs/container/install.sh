#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Inside a container of Debian 12, as root: installs what is missing, builds, installs to /usr/local. The build stays, for
# runs/quickstart.sh goes on with it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source runs/packages.sh
need_packages "${program_packages[@]}"
rm -rf /var/lib/apt/lists/*
cmake -S . -B build -G Ninja -DTESSEREC_TESTS=OFF
ninja -C build -j "${JOBS:-$(nproc)}"
cmake --install build
