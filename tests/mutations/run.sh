#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [NAME...]: makes the mutations of list.txt (or those named) one at a time in a copy of the tree, and asks of each
# whether its tests turn red. Ends with 1 if one survived or did not build. README.md has the rest.
# run.sh --check BUILD: only whether each mutation's text stands in its file, once, and its tests are among those of BUILD.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
list=$root/tests/mutations/list.txt
copy=${COPY:-$root/build/mutations} # kept, so that the next run builds only what changed
source=$copy/source build=$copy/build log=$copy/log
limit=${LIMIT:-300} # seconds for the tests of a mutation
seen=${SEEN:-}      # a file of names with the commits where they were caught: left out, and added to

die() {
  echo "mutations: $*" >&2
  exit 2
}

# The list.
names=()
declare -A entry # name.key -> text
while IFS= read -r line || [[ -n $line ]]; do
  key=${line%% *} value=${line#* }
  [[ $line != "$key" ]] || value=
  case $key in
    '' | '#'*) ;;
    '['*']')
      name=${key:1:-1}
      [[ -z ${entry[$name.key]:-} ]] || die "list.txt has $name twice"
      names+=("$name")
      entry[$name.key]=here
      ;;
    what | file | find | put | test | build | needs) entry[$name.$key]=$value ;;
    *) die "list.txt: what is this: $line" ;;
  esac
done <"$list"
check=
if [[ ${1:-} == --check ]]; then
  check=${2:?--check needs a build folder}
  shift 2
fi
chosen=("${@:-${names[@]}}")
for name in "${chosen[@]}"; do
  [[ -n ${entry[$name.key]:-} ]] || die "list.txt has no $name"
  for key in what file find test; do
    [[ -n ${entry[$name.$key]:-} ]] || die "list.txt: $name has no $key"
  done
done
if [[ $# == 0 && -z $check ]]; then
  # Headers last: a changed one compiles much again.
  mapfile -t chosen < <(for name in "${names[@]}"; do
    if [[ ${entry[$name.file]} == *.hpp ]]; then echo "1 $name"; else echo "0 $name"; fi
  done | sort -s -k 1,1 | cut -d ' ' -f 2)
fi
if [[ -n $seen && -z $check ]]; then
  [[ -w $seen ]] || die "cannot write $seen (SEEN)"
  mapfile -t chosen < <(printf '%s\n' "${chosen[@]}" | grep -vxFf <(sed 's/ .*//' "$seen") || true)
  ((${#chosen[@]} > 0)) || { echo "all of them stand in $seen" && exit; }
fi

# complaint NAME: what does not fit the tree.
complaint() {
  local file=${entry[$1.file]} find=${entry[$1.find]} times
  [[ -f $root/$file ]] || { echo "there is no $file" && return; }
  times=$(FIND=$find perl -0777 -ne 'my $times = () = /\Q$ENV{FIND}\E/g; print $times' "$root/$file")
  [[ $times == 1 ]] || echo "its text stands $times times in $file, not once: $find"
}
# unknown_tests PATTERN TESTS BUILD: "none" if no test is named so, or a program test_FOLDER that BUILD does not have.
unknown_tests() {
  local tests program
  tests=$(grep -E -- "$1" <<<"$2") || { echo none && return; }
  for program in $(sed -E 's/^(device\.)?([a-z_]+)\..*/test_\2/' <<<"$tests" | sort -u); do
    grep -qE "^build tests/$program:" "$3/build.ninja" || { echo "$program" && return; }
  done
}
# Not by ctest -N: it would empty the log of a ctest that runs this.
all_tests() { find "$1" -name CTestTestfile.cmake -exec sed -nE 's/^add_test\((\[=+\[)?([^] ]+).*/\2/p' {} +; }
fits() { # fits BUILD
  local tests name text pattern failures=0
  local -A unknown
  tests=$(all_tests "$1")
  for name in "${chosen[@]}"; do
    pattern=${entry[$name.test]}
    [[ -v unknown[$pattern] ]] || unknown[$pattern]=$(unknown_tests "$pattern" "$tests" "$1")
    text=$(complaint "$name")
    if [[ ${unknown[$pattern]} == none ]]; then
      text+="${text:+; }no test is named $pattern"
    elif [[ -n ${unknown[$pattern]} && -z ${entry[$name.build]:-} ]]; then
      text+="${text:+; }there is no ${unknown[$pattern]} to build for $pattern: add a line \"build\""
    fi
    [[ -z $text ]] || { echo "list.txt: $name: $text" >&2 && failures=$((failures + 1)); }
  done
  [[ $failures == 0 ]]
}
if [[ -n $check ]]; then
  fits "$check" || die "mend list.txt"
  unlisted=$(grep -vxFf <(printf '%s\n' "${names[@]}") <(sed 's/ .*//' "$root/tests/mutations/seen.txt") || true)
  [[ -z $unlisted ]] || die "seen.txt has names that list.txt lacks: $(paste -s -d ' ' <<<"$unlisted")"
  echo "${#chosen[@]} mutations fit the tree"
  exit
fi

# Tests over the emulated device have a build of their own, below the other.
on_device=
for name in "${chosen[@]}"; do [[ ${entry[$name.test]} != ^device* ]] || on_device=yes; done

# The copy: the tree as it stands, without what a run before left in it.
mkdir -p "$source" "$log"
cd "$root"
while IFS= read -r -d '' path; do
  if [[ -f $path ]] && ! cmp -s "$path" "$source/$path"; then
    mkdir -p "$source/$(dirname "$path")"
    cp "$path" "$source/$path"
  fi
done < <(git ls-files -co --exclude-standard -z)
while IFS= read -r -d '' path; do
  [[ -f ${path#"$source"/} ]] || rm "$path"
done < <(find "$source" -type f -print0)
{
  [[ -f $build/build.ninja ]] || cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release
  ninja -C "$build" build.ninja
  if [[ -n $on_device ]]; then
    [[ -f $build/emulated/build.ninja ]] || cmake -S "$source" -B "$build/emulated" -G Ninja -DCMAKE_BUILD_TYPE=Release \
      -DTESSEREC_DEVICE=emulated -DCMAKE_UNITY_BUILD=ON
    ninja -C "$build/emulated" build.ninja
  fi
} >"$log/cmake" 2>&1 || die "cmake failed, see $log/cmake"

# mutate NAME: in the copy.
mutate() {
  FIND=${entry[$1.find]} PUT=${entry[$1.put]:-} perl -0777 -i -pe 's/\Q$ENV{FIND}\E/$ENV{PUT}/' \
    "$source/${entry[$1.file]}"
}
restore() { cp "$root/${entry[$1.file]}" "$source/${entry[$1.file]}"; }

tests_of() { ctest --test-dir "$build" -N -R "$1" | sed -nE 's/^ *Test +#[0-9]+: //p'; }
targets_of() { # of a name: what the list says, or the test programs of its tests
  if [[ -n ${entry[$1.build]:-} ]]; then
    echo "${entry[$1.build]}"
  else
    tests_of "${entry[$1.test]}" | sed -E 's/^device\.([a-z_]+)\..*/emulated\/test_\1/; s/^([a-z_]+)\..*/test_\1/' | sort -u
  fi
}
make() {
  local target host=() device=()
  for target in $1; do
    if [[ $target == emulated/* ]]; then device+=("${target#*/}"); else host+=("$target"); fi
  done
  ((${#host[@]} == 0)) || ninja -C "$build" -j "${JOBS:-2}" "${host[@]}" || return
  ((${#device[@]} == 0)) || ninja -C "$build/emulated" -j "${JOBS:-2}" "${device[@]}"
}
run_tests() { # The first failure tells enough.
  TESSEREC_FIRST_FAILURE=1 timeout -k 10 "$2" ctest --test-dir "$build" --output-on-failure --stop-on-failure -R "$1"
}

# What is soon looked at, then the tests as they are.
fits "$build" || die "mend list.txt"
targets= tests=
for name in "${chosen[@]}"; do
  targets+=" $(targets_of "$name" | paste -s -d ' ')"
  tests+="${tests:+|}${entry[$name.test]}"
done
make "$targets" >"$log/build" 2>&1 || die "the tree does not build as it is, see $log/build"
run_tests "$tests" 3600 >"$log/tests" 2>&1 || die "tests are red without any mutation, see $log/tests"

# holds CONDITION: whether an option of CMake is on in the build, or off if ! stands before it.
holds() {
  local on=
  ! grep -qiE "^${1#!}:[A-Z]+=(ON|YES|TRUE|Y|[1-9][0-9]*)$" "$build/CMakeCache.txt" || on=yes
  if [[ $1 == !* ]]; then [[ -z $on ]]; else [[ -n $on ]]; fi
}

failures=0 untried=0 commit=$(git -C "$root" rev-parse --short=8 HEAD)
for name in "${chosen[@]}"; do
  needs=${entry[$name.needs]:-}
  if [[ -n $needs ]] && ! holds "$needs"; then
    printf '%-14s  %4d s  %-30s  %s\n' 'not tried' 0 "$name" "the build must have $needs"
    untried=$((untried + 1))
    continue
  fi
  mutate "$name"
  code=0 begin=$SECONDS
  if ! make "$(targets_of "$name")" >"$log/$name" 2>&1; then
    verdict='does not build'
  else
    run_tests "${entry[$name.test]}" "$limit" >>"$log/$name" 2>&1 || code=$?
    case $code in
      0) verdict=SURVIVED ;;
      124) verdict='caught (hangs)' ;;
      *) verdict=caught ;;
    esac
  fi
  restore "$name"
  printf '%-14s  %4d s  %-30s  %s\n' "$verdict" $((SECONDS - begin)) "$name" "${entry[$name.what]}"
  if [[ $verdict != caught* ]]; then
    failures=$((failures + 1))
  elif [[ -n $seen ]]; then
    echo "$name $commit" >>"$seen"
  fi
done
echo "${#chosen[@]} mutations, $failures not caught, $untried not tried; what each said lies in $log"
[[ $failures == 0 ]]
