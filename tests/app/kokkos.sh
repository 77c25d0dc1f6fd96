#!/usr/bin/env bash
# Kokkos starts in the commands that compute, and in no other. STARTED: the tool kokkos_started.
. "$(dirname "$0")/lib.sh"
export KOKKOS_PROFILE_LIBRARY=$STARTED KOKKOS_TOOLS_LIBS=$STARTED
deck=$folder/deck.toml
cat >"$deck" <<END
[run]
output = "$folder/run"
[data.synthetic]
kind = "planted"
samples = 256
evaluate_samples = 64
rows = [50, 7]
dense_features = 3
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
[train]
batch_size = 64
END

started() { grep -q '^Kokkos has started' "$folder/err"; }

run "$TESSEREC" train "$deck"
[ "$code" = 0 ] || complain "train"
if ! started; then
  echo "this Kokkos loads no tools"
  exit 77
fi
run "$TESSEREC" evaluate "$deck"
[ "$code" = 0 ] && started || complain "evaluate did not start Kokkos"
checkpoint=$(ls -d "$folder"/run/*/checkpoints/*/ "$folder"/run/checkpoints/*/ 2>/dev/null | tail -n 1)
for words in describe "check $deck" "plan $deck" "verify $checkpoint"; do
  # shellcheck disable=SC2086
  run "$TESSEREC" $words
  [ "$code" = 0 ] || complain "tesserec $words"
  ! started || complain "Kokkos started: tesserec $words"
done
must_fail "tesserec describe does not compute, so it takes no --kokkos-num-threads=2; leave it out" describe --kokkos-num-threads=2
finish
