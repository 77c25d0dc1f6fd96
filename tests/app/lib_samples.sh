# Small inputs that tests of the commands share. Sourced after lib.sh.

# criteo_rows N: prints raw rows, 40 fields separated by tabs, some empty. Deterministic.
criteo_rows() {
  awk -v n="$1" 'BEGIN {
    state = 7
    for (row = 0; row < n; ++row) {
      line = draw(100) < 30
      for (i = 0; i < 13; ++i) line = line "\t" (draw(10) == 0 ? "" : draw(50) - 2)
      for (i = 0; i < 26; ++i) line = line "\t" (draw(10) == 0 ? "" : sprintf("%08x", draw(20) * 2654435 + i))
      print line
    }
  }
  function draw(below) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * below) }'
}

# planted_deck FILE: writes a deck that trains in a second; four lanes, so up to four ranks.
planted_deck() {
  cat "$(dirname "${BASH_SOURCE[0]}")/planted.toml" >"$1"
  printf '[run]\noutput = "%s/run"\n' "$folder" >>"$1"
}

# criteo_deck FILE: writes a deck for raw/train.txt and raw/test.txt of $folder, preprocessed to data/, trained in run/.
criteo_deck() {
  sed "s|@|$folder|" >"$1" <<'DECK'
[run]
output = "@/run"
[preprocess]
train = ["@/raw/train.txt"]
evaluate = ["@/raw/test.txt"]
output = "@/data"
[data]
train = ["@/data/train.h5"]
evaluate = ["@/data/evaluate.h5"]
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
[train]
batch_size = 64
lanes = 4
DECK
  mkdir -p "$folder/raw"
  criteo_rows 200 >"$folder/raw/train.txt"
  criteo_rows 300 | tail -n 100 >"$folder/raw/test.txt"
}

# value NAME: prints a number or text of the JSON on stdout.
value() { grep -oE "\"$1\": (\"[^\"]*\"|[^,}]*)" "$folder/out" | head -n 1 | sed 's/^[^:]*: //; s/"//g'; }
