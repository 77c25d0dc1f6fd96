#!/usr/bin/env bash
# run.communicator on $RANKS ranks, NCCL's calls over the host's memory: the digests equal MPI's; a failed transfer ends
# all ranks with one message at any time.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
build_without=$TESSEREC
export TESSEREC=$HOST_NCCL OMPI_MCA_orte_tmpdir_base=$folder
portable=(--json --set run.overwrite=true --set checkpoint.resume=never --set run.kernels=portable)
digests() { grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out" | tr '\n' ' '; }
for plan in table_wise row_wise column_wise data_parallel; do
  must_succeed '"communicator": "MPI, ' train "$deck" "${portable[@]}" --set plan.default=$plan
  expected=$(digests)
  must_succeed '"communicator": "NCCL 2.28.9' train "$deck" "${portable[@]}" --set plan.default=$plan --set run.communicator=nccl
  [ "$(digests)" = "$expected" ] || complain "$plan: $(digests), by MPI $expected"
done
must_succeed '"auc"' evaluate "$deck" --json --set run.kernels=portable --set run.communicator=nccl
export NCCL_ALGO=Ring NCCL_TEST_RANK=1
must_succeed 'NCCL 2.28.9 with NCCL_ALGO=Ring, NCCL_TEST_RANK=1' train "$deck" "${portable[@]}" --set run.communicator=nccl
for group in 0 1 2 7 20; do
  NCCL_TEST_FAILS=$group must_fail 'remote process exited or there was a network error (rank 1)' train "$deck" \
    "${portable[@]}" --set run.communicator=nccl
done
NCCL_TEST_VERSION=2.27.3 must_fail 'NCCL is 2.28.9 on rank 0 and 2.27.3 on rank 1' train "$deck" "${portable[@]}" --set run.communicator=nccl
rm -rf "$folder/run"
unset NCCL_TEST_RANK # on all ranks, the gradients of the last step's rows are lost
NCCL_TEST_FAILS=3 must_fail 'step 1: NCCL: remote process exited' train "$deck" "${portable[@]}" --set run.communicator=nccl --set train.steps=1
[ "$(find "$folder/run" -name '*.h5' | wc -l)" = 0 ] || complain "a checkpoint of gradients that did not come"
# The same inside the nodes of an exchange by two levels, whose ranks talk by a communicator of their own.
RANKS=4 NCCL_TEST_FAILS=5 must_fail 'step 1: NCCL: remote process exited' train "$deck" "${portable[@]}" --set run.communicator=nccl \
  --set train.steps=1 --set data.synthetic.ids_per_bag=8 --set plan.default=table_row_wise --set plan.ranks_per_node=2 \
  --set plan.min_rows=1 --set plan.costs.between_bytes=1e5 --set plan.costs.inside_latency=0
NCCL_TEST_RANK=1 NCCL_TEST_DIES=7 run "$TESSEREC" train "$deck" "${portable[@]}" --set run.communicator=nccl
[ "$code" != 0 ] && [ "$code" != 124 ] || complain "a rank that is killed: exit code $code"
! grep -q '"steps"' "$folder/out" || complain "a rank that is killed: the others finish"

must_fail 'run.communicator = "nccl" sends data from GPUs, but simd kernels run on processors' train "$deck" --set run.communicator=nccl
TESSEREC=$build_without
must_fail "run.communicator must be one of auto | mpi | nccl" train "$deck" --set run.kernels=portable --set run.communicator=gloo
sed -i 's|^\[run\]|&\ncommunicator = "nccl"|' "$deck"
must_fail "$deck:$(grep -n communicator "$deck" | cut -d: -f1): run.communicator = \"nccl\": this build has no NCCL" train "$deck" --set run.kernels=portable
finish
