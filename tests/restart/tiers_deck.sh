# SPDX-License-Identifier: Apache-2.0
# tiers_deck.sh FILE, sourced by kill_test.sh: small_deck with a table that grows and evicts rows, two tables on disk
# behind a cache too small for their rows, in 32 and in 16 bits, and one in memory.
. "$here/small_deck.sh" "$1"
plans=(table_wise row_wise column_wise auto)  # a growing table refuses data_parallel
part_bytes=50000                               # its state is as much larger
sed -i 's/^samples = .*/samples = 20000\nzipf = 0.4/; s/^rows = .*/rows = [9000, 6000, 5000, 40]/; s/^embedding_dim = .*/embedding_dim = 16/;
  s/^bottom = .*/bottom = [32, 16]/' "$1"
cat >>"$1" <<'DECK'
[plan]
cache = 0.35
[plan.tables.C2]
kernel = "disk"
[plan.tables.C3]
kernel = "disk"
[[table]]
name = "C1"
growing = true
rows = 2048
admit_after = 2
eviction = "lfu"
[[table]]
name = "C2"
[[table]]
name = "C3"
format = "bf16"
[[table]]
name = "C4"
DECK
