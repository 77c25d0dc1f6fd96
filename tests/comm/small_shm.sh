#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# small_shm.sh LAUNCH... test_comm: runs the tests of a small /dev/shm in a mount namespace of their own. Skipped (77)
# if the system has no such namespace.
set -euo pipefail
for flags in -m -rm; do
  if unshare $flags mount -t tmpfs -o size=64m tmpfs /dev/shm 2>/dev/null; then
    # shellcheck disable=SC2016
    output=$(unshare $flags bash -c 'mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "$@"' _ "$@" "[small_shm]" 2>&1) ||
      { echo "$output"; exit 1; }
    echo "$output"
    [[ $(grep -c 'cannot share .* of memory .*: /dev/shm is too small), so each rank keeps its own copy' <<<"$output") == 2 ]] ||
      { echo "FAILED: not one warning for each refusal"; exit 1; }
    exit 0
  fi
done
echo "skipped: no mount namespace for a small /dev/shm"
exit 77
