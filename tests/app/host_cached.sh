#!/usr/bin/env bash
# plan.kernel = "host_cached" in the program: plans for GPUs count the bytes on GPU and host, and cost what travels. A
# build for hosts refuses to train by it. A list of kernels fits both devices. Trainings by it are in tests/train, over the
# emulated device.
TESSEREC=${TESSEREC:-$(dirname "$0")/../../build/tesserec} LAUNCH=${LAUNCH:-mpirun --allow-run-as-root --oversubscribe -n}
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
planted_deck "$folder/planted.toml"
set=("$folder/planted.toml" --set 'data.synthetic.rows=[9000, 20000, 4000]' --set data.synthetic.samples=3000
  --set data.synthetic.zipf=0 --set model.embedding_dim=64 --set 'model.bottom=[8, 64]')
on_gpu=(plan "${set[@]}" --device cuda --ranks 1 --set train.batch_size=256)
holds() { tr -d '\n' <"$folder/out" | grep -oE "\"bytes_by_holder\": \{[^}]*" | grep -oE "\"$1\": \[[0-9.]*" | sed 's/.*\[//'; }
# between A B X: A <= X <= B.
between() { awk -v a="$1" -v b="$2" -v x="${3:-0}" 'BEGIN { exit !(a <= x && x <= b) }'; }

# A cache has a tenth of the rows, and at least 1024. Host memory has all rows, and where each one is.
RANKS=1
all=$((33000 * 64 * 4))
must_succeed '"kernel": "fused"' "${on_gpu[@]}" --json
between $all $all "$(holds rows)" || complain "fused: not $all bytes of rows"
must_succeed '"kernel": "host_cached"' "${on_gpu[@]}" --json --set plan.kernel=host_cached
between $((all / 9)) $((all / 7)) "$(holds rows)" || complain "host_cached: bytes of caches on the GPU"
between $all $((all + all / 10)) "$(holds host)" || complain "host_cached: bytes in host memory"
fast=$(value lookup_seconds)
must_succeed '"kernel": "host_cached"' "${on_gpu[@]}" --json --set plan.kernel=host_cached --set plan.costs.host_bytes=1e6
between "$(awk -v x="$fast" 'BEGIN { print 100 * x }')" 1 "$(value lookup_seconds)" || complain "a slow link costs nothing"
must_succeed ' of host memory for rows' "${on_gpu[@]}" --set plan.kernel=host_cached
must_succeed '"kernel": "host_cached"' "${on_gpu[@]}" --json --set 'plan.kernel=["disk", "host_cached"]'
must_fail 'has kernel "disk", whose cache is in host memory, where GPUs cannot read' "${on_gpu[@]}" --set plan.kernel=disk

# Hosts refuse the kernel alone, and pass over it in a list.
for RANKS in 1 2; do
  must_fail 'has kernel "host_cached", whose cache is in a GPU' train "${set[@]}" --set plan.kernel=host_cached
  must_fail 'to ["fused", "host_cached"] for plans of either device' train "${set[@]}" \
    --set plan.tables.C2.kernel=host_cached
done
digest() { value weights_digest; }
must_succeed '"weights_digest"' train "${set[@]}" --json
expected=$(digest)
must_succeed '"weights_digest"' train "${set[@]}" --json --set run.overwrite=true --set 'plan.kernel=["host_cached", "fused"]'
[ "$(digest)" = "$expected" ] || complain "a list with host_cached: $(digest), not $expected"
finish
