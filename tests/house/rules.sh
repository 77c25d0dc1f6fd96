#!/usr/bin/env bash
# rules.sh ROOT: checks permitted includes (MAY_INCLUDE in src/CMakeLists.txt), the places of third-party headers, and
# the required files of every folder. Prints each breach as "file:line: what" and ends with 1 if there is one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
breaches=0
breach() {
  echo "$*"
  breaches=$((breaches + 1))
}

# folder -> the folders it may include
declare -A may
while read -r folder rest; do
  list=" $folder "
  taking=no
  for word in $rest; do
    case $word in
      MAY_INCLUDE) taking=yes ;;
      PUBLIC | PRIVATE) taking=no ;;
      *) if [ $taking = yes ]; then list+="$word "; fi ;;
    esac
  done
  may[$folder]=$list
done < <(sed 's/#.*//' src/CMakeLists.txt | tr '\n' ' ' | grep -o 'tesserec_folder([^)]*)' | sed 's/tesserec_folder(//; s/)//')
[ "${#may[@]}" -ge 5 ] || breach "src/CMakeLists.txt: found only ${#may[@]} tesserec_folder(...)"

# No cycles: no two folders may include each other.
for folder in "${!may[@]}"; do
  for other in ${may[$folder]}; do
    if [ "$other" != "$folder" ] && [ -n "${may[$other]:-}" ] && [[ ${may[$other]} == *" $folder "* ]]; then
      breach "src/CMakeLists.txt: $folder and $other may include each other"
    fi
  done
done

sources=$(find include/tesserec src -type f \( -name '*.hpp' -o -name '*.cpp' \) | sort)

# Includes between folders.
while IFS=: read -r file line text; do
  from=${file#include/tesserec/} # include/tesserec/X/y.hpp, include/tesserec/X.hpp, src/X/y.cpp -> X
  from=${from#src/}
  from=${from%%/*}
  from=${from%.hpp}
  to=${text#*tesserec/}
  to=${to%%[^A-Za-z0-9_]*}
  [ -n "${may[$from]:-}" ] || { breach "$file:$line: folder $from has no tesserec_folder(...) in src/CMakeLists.txt"; continue; }
  [[ ${may[$from]} == *" $to "* ]] || breach "$file:$line: $from may not include $to"
done < <(grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]tesserec/' $sources || true)
while IFS=: read -r file line _; do
  breach "$file:$line: an include that leaves its folder; use <tesserec/...>"
done < <(grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"(\.\./|src/)' $sources || true)

# only PATTERN WHERE NAME: finds a third party's header outside the paths that the regular expression WHERE allows.
only() {
  while IFS=: read -r file line _; do
    [[ $file =~ $2 ]] || breach "$file:$line: $3"
  done < <(grep -HnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]$1" $sources || true)
}
only 'mpi\.h' '^(include/tesserec|src)/comm/' '<mpi.h> belongs in comm'
only 'nccl\.h' '^(include/tesserec|src)/comm/' '<nccl.h> belongs in comm'
only 'cublasLt' '^src/products/cublaslt' '<cublasLt.h> belongs in products, in files of its own'
only 'hdf5' '^(include/tesserec|src)/store/' '<hdf5.h> belongs in store'
only 'toml\+\+' '^src/schema/toml_file\.cpp$' 'toml++ belongs in src/schema/toml_file.cpp'
only 'Kokkos_' '^(include/tesserec|src)/core/' 'Kokkos headers belong in core; use <tesserec/core/kokkos.hpp>'
only '(zlib|zstd|isa-l/igzip_lib)\.h' '^src/(preprocess/(decompressor|packer)_|serve/body_coding)' 'libraries that pack and unpack belong in preprocess and serve, in files of their own'
only 'boost/(asio|beast)/' '^src/serve/http_connection\.cpp$' 'Boost.Beast belongs in src/serve/http_connection.cpp'
only '(arrow|parquet)/' '^(src/parquet/(with_arrow\.cpp|arrow_[a-z]+\.[ch]pp)|tests/parquet/.*)$' 'Arrow belongs in src/parquet, in files of its own'
only 'liburing\.h' '^src/tiers/' '<liburing.h> belongs in tiers'
only 'xxhash\.h' '^src/(store|data|raw|preprocess|verdict)/' '<xxhash.h> belongs in store, data, raw, preprocess and verdict'
only 'nlohmann/' '^src/core/json\.cpp$' 'nlohmann-json belongs in src/core/json.cpp'

# Kokkos' headers take most of a compilation: code for settings, planning, communication and decks avoids them.
names='Kokkos::|\b(Exec|Device|Vector|Matrix|DeviceVector|DeviceMatrix|Region|parallel_for|make_vector|make_matrix|concurrency|backend_description|kokkos_version)\b'
for file in $(grep -l '<tesserec/core/kokkos\.hpp>' $sources || true); do
  [[ $file == include/tesserec/core.hpp ]] || grep -qE "$names" <(grep -v '^ *#include' "$file") ||
    breach "$file:1: uses nothing of <tesserec/core/kokkos.hpp>; Index and Range stand in <tesserec/core/index.hpp>"
done
reaching=core/kokkos.hpp
found=
while [ "$reaching" != "$found" ]; do
  found=$reaching
  reaching=$({ sed 's|.*|<tesserec/&>|' <<<"$found" | grep -lFf - $(grep '^include/' <<<"$sources") || true; echo core/kokkos.hpp; } | sed 's|include/tesserec/||' | sort -u)
done
while read -r header; do
  breach "include/tesserec/$header:1: reaches Kokkos' headers"
done < <(grep -E '/settings\.hpp$|^(deck|schema|planning|metrics)/|^comm/communicator\.hpp$|^data/source\.hpp$' <<<"$reaching" || true)
# nvcc keeps the functions that copy and call a KOKKOS_LAMBDA on the host for each file of its own: made by one file and
# copied by another, it ends in a null pointer. A header has structs.
while IFS=: read -r file line _; do
  breach "$file:$line: a KOKKOS_LAMBDA in a header, which nvcc lets no two files share; write a struct, or move it to a .cpp"
done < <(grep -HnE '^[^/]*KOKKOS_LAMBDA' $(grep '\.hpp$' <<<"$sources") || true)
# Only comm's classes call MPI.
while IFS=: read -r file line _; do
  [[ $file =~ ^(include/tesserec|src)/comm/ ]] || breach "$file:$line: MPI belongs behind comm::Communicator"
done < <(grep -HnE '\bMPI_[A-Z]' $sources || true)

# Only app, and the library for C, start and end MPI and Kokkos.
while IFS=: read -r file line _; do
  [[ $file == src/app/* || $file == src/comm/environment.cpp || $file == src/predict/* ]] || breach "$file:$line: only app starts or ends MPI, Kokkos and the process"
done < <(grep -HnE '\b(MPI_Init|MPI_Init_thread|MPI_Finalize|MPI_Abort|Kokkos::initialize|Kokkos::finalize|std::exit|std::_Exit)[[:space:]]*\(' $sources || true)
# Only programs decide which work uses which instance.
while IFS=: read -r file line _; do
  [[ $file == src/app/* || $file == src/predict/* || $file == src/serve/main.cpp ]] || breach "$file:$line: an Exec made here; take the caller's"
done < <(grep -HnE '\bExec(\(\)|\{\})|\bconst Exec [a-z_]+;' $sources || true)

# The C library's elementary functions have other bits on other processors. Code that measures, plans and reports
# computes no model.
while IFS=: read -r file line _; do
  [[ $file =~ ^(include/tesserec|src)/(bench|planning|report)/ ]] || breach "$file:$line: other bits on other processors; core/elementary.hpp has exp, log, sin and their like"
done < <(grep -HnE '\bstd::(exp2?|expm1|log(2|10|1p)?|a?(sin|cos|tan)h?|atan2|erfc?|pow|cbrt|hypot|[lt]gamma)f?[[:space:]]*\(' $sources || true)

# Numbers become text in one place.
while IFS=: read -r file line _; do
  [[ $file =~ ^(include/tesserec|src)/core/ ]] || breach "$file:$line: no printf into text, no scanf; core/text.hpp writes and reads numbers"
done < <(grep -HnE '\b(v?sn?printf|v?sscanf)\b' $sources || true)

# A statement does one thing; classes and functions are small; a name means one type; comments name existing things; a
# file includes what it names.
statements=$(perl "$here/statements.pl" $sources)
declarations=$(perl "$here/declarations.pl" tests/house/exceptions.txt $sources)
includes=$(perl "$here/includes.pl" $sources)
while read -r line; do [ -z "$line" ] || breach "$line"; done <<<"$statements
$declarations
$includes"

# Comments tell a function's effect and depend on no text above them.
headers=$(grep '^include/' <<<"$sources")
while read -r line; do
  [ -z "$line" ] || breach "${line%%: *}: a comment that hangs on what stands above; begin with a noun or a verb: ${line#*: }"
done < <(perl "$here/prose.pl" --list hanging $sources $(find tests examples -name "*.[ch]pp" 2>/dev/null))
while read -r line; do
  [ -z "$line" ] || breach "${line%%: *}: a public function's comment begins with a verb in the third person (\"Returns ...\"): ${line#*: }"
done < <(perl "$here/prose.pl" --list verb $headers)
# Sentences of at most 35 words, and lines of at most 110 characters in pages that people write: docs/deck.md is generated.
pages=$(ls README.md CHANGELOG.md docs/*.md docs/design/*.md inputs/README.md runs/README.md examples/README.md src/*/README.md 2>/dev/null | grep -v '^docs/deck.md$' || true)
while read -r line; do
  [ -z "$line" ] || breach "${line%%: *}: a sentence of more than 35 words: ${line#*: }"
done < <(perl "$here/prose.pl" --list sentence $sources $pages)
while read -r line; do
  [ -z "$line" ] || breach "${line%%: *}: a line of more than 110 characters: ${line#*: }"
done < <(perl "$here/prose.pl" --list line $pages)

# A test's script ends at its line `finish`.
while read -r line; do
  breach "$line: lines behind \"finish\" never run; put them before it"
done < <(find tests -name '*.sh' -exec awk 'FNR == 1 { over = 0 } over && NF { print FILENAME ":" FNR; over = 0 }
  $0 == "finish" { over = 1 }' {} + | sort)

# Required content of every file and folder.
written=$(find tests -type f \( -name '*.hpp' -o -name '*.cpp' \) | sort)
while read -r file; do
  breach "$file:1: the first line must be the SPDX licence line"
done < <(awk 'FNR == 1 && $0 != "// SPDX-License-Identifier: Apache-2.0" { print FILENAME }' $sources $written)
for folder in src/*/; do
  [ -f "${folder}README.md" ] || breach "$folder: no README.md"
  [ -n "${may[$(basename "$folder")]:-}" ] || breach "$folder: not in src/CMakeLists.txt"
done
# A folder's README lists its files, with or without endings: first cells of tables that begin "| file |".
there=$(printf '%s\n' $sources | sed -nE 's/^(include\/tesserec|src)\/([a-z_]+)\/([^/]+)\.[a-z]+$/\2 \3/p' | sort -u)
listed=$(awk 'FNR == 1 { on = 0; split(FILENAME, path, "/") } /^\| file \|/ { on = 1; getline; next } !/^\|/ { on = 0 }
  on { split($0, cell, "|"); gsub(/[` ]/, "", cell[2]); n = split(cell[2], name, ",")
       for (i = 1; i <= n; i++) { sub(/\.[a-z]+$/, "", name[i]); if (name[i] != "") print path[2], name[i] } }' src/*/README.md | sort -u)
while read -r name file; do [ -z "$name" ] || breach "src/$name/README.md: does not list $file"; done < <(comm -23 <(echo "$there") <(echo "$listed"))
while read -r name file; do [ -z "$name" ] || breach "src/$name/README.md: lists $file, which is not there"; done < <(comm -13 <(echo "$there") <(echo "$listed"))
# The table of folders in docs/design/code.md agrees with src/CMakeLists.txt, except where it says "all above".
while IFS='|' read -r _ name _ list _; do
  read -r name <<<"$name"
  [ -n "$name" ] && [ -n "${may[$name]:-}" ] && [[ $list != *" above "* ]] || continue
  [ "$(tr -d ',' <<<"$list $name" | tr ' ' '\n' | sed '/^$/d' | sort)" = "$(tr ' ' '\n' <<<"${may[$name]}" | sed '/^$/d' | sort)" ] ||
    breach "docs/design/code.md: $name may include${may[$name]/ $name / }by src/CMakeLists.txt, not$list"
done < <(sed -n '/^| folder | contents | may include |/,/^$/p' docs/design/code.md)
# The table and the picture of the house show every folder.
for folder in src/*/; do
  name=$(basename "$folder")
  grep -q "^| $name |" docs/design/code.md || breach "docs/design/code.md: the table lacks $name"
  grep -q ">$name</text>" docs/pictures/house.svg || breach "docs/pictures/house.svg: the picture lacks $name"
done
while read -r lines file; do
  breach "$file: $lines lines; cut it where it does a second thing, at 300 at most"
done < <(wc -l $sources $written | awk '$1 > 300 && $2 != "total"')
for folder in include/tesserec/*/; do
  name=$(basename "$folder")
  umbrella=include/tesserec/$name.hpp
  [ -f "$umbrella" ] || { breach "$folder: no umbrella header $umbrella"; continue; }
  for header in "$folder"*.hpp; do
    grep -qF "#include <tesserec/$name/$(basename "$header")>" "$umbrella" || breach "$umbrella: lacks <tesserec/$name/$(basename "$header")>"
  done
done

echo "$breaches breaches in $(wc -w <<<"$sources") files"
[ $breaches = 0 ]
