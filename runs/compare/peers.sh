#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Samples per second beside PyTorch eager, FBGEMM + torch.compile and TorchRec (peers.py) on the Criteo Kaggle model: all 26 real
# tables, uniform ids, as many threads as Tesserec has. A Markdown table. Runs alternate, so that a slow hour of the machine meets
# all, and a ratio is of two runs of one round; figures are from a run's median step, making the batches not counted on either side.
#   runs/compare/peers.sh [FOLDER]
# FOLDER is the Python environment of peers_environment.sh, build/peers if not given. From the environment: REPEATS (5), of which
# the median counts; STEPS (100) of a run; BATCHES ("2048 128"); RANKS (2), and THREADS (1) of a rank where Kokkos has OpenMP;
# MAX_ROWS (0: none), which caps the tables where memory is short (2.2 GB); PEERS ("eager fbgemm torchrec"); TESSEREC; PRECISION
# (fp32, or bf16 on all sides), IDS (1) a bag, DIM (16), OPTIMIZER of the tables (sgd, or rowwise_adagrad, which eager lacks),
# LR (0.01), which long bags of wide rows want smaller: a loss that is no number ends a run.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${1:-build/peers}/bin/python
REPEATS=${REPEATS:-5} STEPS=${STEPS:-100}
source runs/compare/common.sh
ranks=${RANKS:-2} all=$((${RANKS:-2} * threads)) max_rows=${MAX_ROWS:-0}
read -ra peers <<< "${PEERS:-eager fbgemm torchrec}"
read -ra batches <<< "${BATCHES:-2048 128}"
ids=${IDS:-1} dim=${DIM:-16} precision=${PRECISION:-fp32} optimizer=${OPTIMIZER:-sgd} lr=${LR:-0.01}
if [[ ! -x $python ]]; then
  echo "$0: $python is not there; make it with runs/compare/peers_environment.sh" >&2
  exit 2
fi

# speed WHO BATCH: samples/s of one run. OPENBLAS_CORETYPE could hold a peer to fewer instructions than the machine has.
speed() {
  local text
  if [[ $1 == tesserec ]]; then
    step_milliseconds "$ranks" train.batch_size="$2" data.synthetic.max_rows="$max_rows" data.synthetic.zipf=0 \
      data.synthetic.ids_per_bag="$ids" model.precision="$precision" model.embedding_dim="$dim" model.bottom="[512, 256, 64, $dim]" \
      optimizer.sparse.type="$optimizer" optimizer.sparse.lr="$lr" optimizer.dense.lr="$lr" |
      awk -v b="$2" '{ print 1000 * b / $1 }'
  else
    text=$(env -u OPENBLAS_CORETYPE OMP_NUM_THREADS="$all" "$python" runs/compare/peers.py "$1" --batch "$2" \
      --steps "$steps" --threads "$all" --max-rows "$max_rows" --ids "$ids" --dim "$dim" --precision "$precision" \
      --optimizer "$optimizer" --rate "$lr" 2> "$folder/log") || { cat "$folder/log" >&2; exit 1; }
    awk -v b="$2" -v s="$(field step_seconds <<< "$text")" 'BEGIN { print b / s }'
  fi
}

load() { cut -d' ' -f1 /proc/loadavg; }
load_before=$(load)
for ((round = 1; round <= repeats; ++round)); do
  for batch in "${batches[@]}"; do
    for who in tesserec "${peers[@]}"; do
      speed "$who" "$batch" >> "$folder/$who.$batch"
      echo "round $round of $repeats, batch $batch, $who: $(tail -n 1 "$folder/$who.$batch") samples/s" >&2
    done
  done
done

# spread FORMAT < NUMBERS: median (least to most).
spread() {
  sort -g > "$folder/sorted"
  # shellcheck disable=SC2059
  printf "$1 ($1 to $1)" "$(median < "$folder/sorted")" "$(head -n 1 "$folder/sorted")" "$(tail -n 1 "$folder/sorted")"
}

echo "$precision, $ids ids a bag, dimension $dim, tables by $optimizer; median (slowest to fastest run)"
echo
echo "| batch | program | samples/s | Tesserec is faster by |"
echo "|---|---|---|---|"
for batch in "${batches[@]}"; do
  echo "| $batch | tesserec | $(spread %.0f < "$folder/tesserec.$batch") | |"
  for who in "${peers[@]}"; do
    paste "$folder/tesserec.$batch" "$folder/$who.$batch" | awk '{ print $1 / $2 }' > "$folder/ratios"
    echo "| $batch | $who | $(spread %.0f < "$folder/$who.$batch") | $(spread %.2f < "$folder/ratios") |"
  done
done
echo
for batch in "${batches[@]}"; do
  for who in "${peers[@]}"; do echo "$(median < "$folder/$who.$batch") $who"; done | sort -g | tail -n 1 |
    awk -v b="$batch" -v ours="$(median < "$folder/tesserec.$batch")" \
      '{ printf "Batch %s: %.2f times the fastest peer, %s.\n", b, ours / $1, $2 }'
done
versions=$("$python" -c 'from importlib.metadata import version as v; import platform
print(", ".join(f"{n} {v(n)}" for n in ("torch", "fbgemm-gpu-cpu", "torchrec")) + ", Python " + platform.python_version())')
echo "$(date -u +%F), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $ranks ranks of $threads threads on $cores cores, load average" \
  "$load_before before and $(load) after; $("$program" --version), commit $(git rev-parse --short HEAD 2> /dev/null || echo unknown);" \
  "$versions; rounds: $repeats, steps of a run: $steps."
