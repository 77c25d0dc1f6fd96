#!/usr/bin/env bash
# runs/gpu/check.sh with a build for host processors: it ends, names missing programs and equal digests, and notices a
# wrong digest and a program that hangs.
. "$(dirname "$0")/lib.sh"
mkdir -p "$folder/carried/bin"
cat >"$folder/carried/run" <<'END'
#!/usr/bin/env bash
export PATH=$(dirname "$0")/bin:$PATH
exec "$@"
END
printf '#!/usr/bin/env bash\nexec %s "${@:2}"\n' "$LAUNCH" >"$folder/carried/bin/mpirun"
program() { # TEXT: makes a program that first runs the text
  printf '#!/usr/bin/env bash\n%s\nexec "%s" "$@"\n' "$1" "$TESSEREC" >"$folder/carried/bin/tesserec"
  chmod +x "$folder"/carried/run "$folder"/carried/bin/*
}
echo "gpu: no" >"$folder/carried/about"
# says CODE SECONDS ARGS...: checks that check.sh, with so much time, ends with the code in time and its page has each
# of ARGS.
says() {
  LIMIT=$2 ONLY='digest.sgd.*.[12].table_wise' PYTHON=false timeout $(($2 + 20)) bash "$DOCS/../runs/gpu/check.sh" "$folder/carried" \
    "$folder/checked" >"$folder/out" 2>"$folder/err"
  code=$?
  [ "$code" = "$1" ] || complain "not exit code $1"
  "$JSON_CHECK" <"$folder/checked/gpu.json" || complain "gpu.json is no JSON"
  local part
  for part in "${@:3}"; do
    grep -qE -- "$part" "$folder/checked/gpu.md" || complain "the page lacks $part: $(cat "$folder/checked/gpu.md")"
  done
}
code=0
program ''
says 0 30 'nothing below ran on a GPU' '^- PyTorch' '^Of 3 parts 3 are ok' '^\| digest.sgd.portable.2.table_wise \| ok '
program '[[ "$*" != *portable* ]] || set -- "$@" --set run.seed=2'
says 1 30 '^\| digest.sgd.portable.1.table_wise \| DIFFERENT '
program '[[ "$*" != *portable* ]] || exec sleep 100'
says 3 9 '^\| digest.sgd.portable.1.table_wise \| no time ' '^\| digest.sgd.portable.2.table_wise \| no time \| 0 '
finish
