#!/usr/bin/env bash
# Commands of docs/public-sets.md: each deck has them in its first lines, and those that unpack an archive make the raw
# files of the deck from nothing, in an empty folder.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_sets.sh"
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
code=none
: >"$folder/out"
: >"$folder/err"

# commands_of NAME: prints the shell block of the page that preprocesses inputs/NAME.toml.
commands_of() {
  awk -v deck="inputs/$1.toml" '/^```sh/ { inside = 1; block = ""; next }
    /^```/ { if (index(block, "preprocess " deck)) printf "%s", block; inside = 0 }
    inside { block = block $0 "\n" }' "$source_folder/docs/public-sets.md"
}
sets=$(grep -oE '`[a-z0-9_]+\.toml`' "$source_folder/docs/public-sets.md" | sort -u | sed 's/`//g; s/\.toml//')
[ "$(wc -w <<<"$sets")" -ge 9 ] || complain "only the sets $sets are on the page"
for name in $sets; do
  commands_of "$name" >"$folder/block"
  [ -s "$folder/block" ] || complain "docs/public-sets.md has no commands for $name"
  while IFS= read -r line; do
    grep -qF -- "$line" "$source_folder/inputs/$name.toml" || complain "inputs/$name.toml lacks: $line"
  done < <(sed 's/^ *//' "$folder/block")
done

# unpacks NAME FOLDER ARCHIVE: packs data/FOLDER of the set into the archive and runs the first command.
unpacks() {
  local name=$1 from=$2 archive=$3
  mkdir "$folder/$name"
  cd "$folder/$name" || exit 1
  "set_$name"
  case $archive in
    *.zip) (cd "data/$from" && python3 -m zipfile -c "$folder/$name/$archive" ./*) ;;
    *) tar czf "$archive" -C "data/$from" . --transform 's,^\./,,' ;;
  esac
  (cd data && find . -type f | sort | xargs cksum) >before
  mv data packed
  sh -e -c "$(commands_of "$name" | grep -v 'build/tesserec')" >out 2>err </dev/null
  code=$?
  [ "$code" = 0 ] || complain "$name: the first command fails: $(cat err)"
  (cd data && find . -type f | sort | xargs cksum) | diff before - >"$folder/out" || complain "$name: other files"
}
unpacks kuairand_pure . KuaiRand-Pure.tar.gz
if command -v unzip >/dev/null && command -v python3 >/dev/null; then
  unpacks avazu avazu avazu-ctr-prediction.zip
  unpacks movielens_20m . ml-20m.zip
  unpacks open_bandit . open_bandit_dataset.zip
fi
finish
