#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare.sh PAGE PROGRAM RANKS: runs the page's program and compares what it prints with the page; then the same with a page
# that is wrong in one line, which must be found out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

expected() { awk -v what=output -v ranks="$2" -f "$here/extract.awk" "$1"; }
# shellcheck disable=SC2086
$LAUNCH "$3" "$2" </dev/null >"$scratch/printed"
expected "$1" "$3" >"$scratch/page"
[ "$(wc -l <"$scratch/page")" -gt 60 ] || { echo "FAILED: the page has hardly any output"; exit 1; }
diff -u "$scratch/page" "$scratch/printed" || { echo "FAILED: docs/tutorial.md (-) is not what its program prints (+)"; exit 1; }

sed 's/product_table | /product_tabel | /' "$1" >"$scratch/wrong.md"
expected "$scratch/wrong.md" "$3" >"$scratch/page"
if diff -q "$scratch/page" "$scratch/printed" >/dev/null; then echo "FAILED: a wrong page is not found out"; exit 1; fi
