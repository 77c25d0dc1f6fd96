#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# alone.sh PROGRAM INPUTS: the program reads a model out of a deck, and is linked without MPI and HDF5.
set -euo pipefail
[ "$("$1" "$2/adult.toml" | head -1)" = "dlrm" ] || { echo "other model: $("$1" "$2/adult.toml" | head -1)"; exit 1; }
if ldd "$1" | grep -E 'libmpi|libhdf5|libopen-pal'; then
  echo "the program needs MPI or HDF5"
  exit 1
fi
