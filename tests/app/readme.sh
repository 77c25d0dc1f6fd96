#!/usr/bin/env bash
# Commands of the README's shell blocks that start the program, run one after the other as written.
. "$(dirname "$0")/lib.sh"
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
cd "$folder" || exit 1
ln -s "$source_folder/inputs" inputs
mkdir build
ln -s "$TESSEREC" build/tesserec
count=0
while IFS= read -r line; do
  line=${line%%#*}
  # The launcher as this build found it; one that may run as root.
  command=${line/#mpirun -n /$LAUNCH }
  # shellcheck disable=SC2086
  case $command in
    *"tesserec serve "*) timeout --preserve-status 3 $command ;; # until SIGTERM ends it
    *"tesserec replay "*) [ ! -e served.jsonl ] || timeout 60 $command ;; # a server has written it
    *) timeout 60 $command ;;
  esac >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  ! grep -q 'this build has no HTTP server' "$folder/err" || code=0
  [ "$code" = 0 ] || complain "README: $line"
  count=$((count + 1))
done < <(awk '/^```/ { shell = /^```sh/; next } shell && /^(mpirun -n [0-9]+ )?build\/tesserec / { print }' "$source_folder/README.md")
[ "$count" -ge 5 ] || { code=none; complain "only $count commands found in README.md"; }
echo "$count commands of README.md"
finish
