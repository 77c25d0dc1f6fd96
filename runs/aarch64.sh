#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# aarch64.sh [TEST...]: the same bits on another architecture, without a machine of it. On Debian: unpacks arm64 packages
# below build/aarch64/root, cross-builds, and runs under qemu the tests of the folders with kernels, whose digests were
# recorded on x86-64; then trains every model for some steps here and there, and compares the digests of weights and
# optimizer state. Takes half an hour on two cores the first time. No part of ctest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source runs/packages.sh

jobs=${JOBS:-2}
build=$PWD/build/aarch64
root=$build/root    # where cmake/aarch64.cmake looks
tests=("$@")
((${#tests[@]})) || tests=(core optim embedding products layers losses)

need_packages "${program_packages[@]}" g++-aarch64-linux-gnu qemu-user-static

# apt with a state of its own, in which nothing is installed: this machine's stays as it is, and no root is needed.
fetch_packages() { # FOLDER NAME...: they and all they need
  local folder=$1 release
  release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  mkdir -p "$folder"/{lists,archives}/partial
  : >"$folder/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
    "${DEBIAN_MIRROR:-http://deb.debian.org/debian} $release main" >"$folder/sources.list"
  cat >"$folder/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Debug::NoLocking "true";
Dir::State "$folder";
Dir::State::status "$folder/status";
Dir::Cache "$folder";
Dir::Etc::sourcelist "$folder/sources.list";
Dir::Etc::sourceparts "-";
END
  APT_CONFIG=$folder/apt.conf apt-get update -qq
  APT_CONFIG=$folder/apt.conf apt-get install -qq --download-only --no-install-recommends "${@:2}" >/dev/null
}

make_root() {
  local libraries=() name deb link part
  for name in "${program_packages[@]}"; do [[ $name != *-dev ]] || libraries+=("$name"); done
  rm -rf "$root"
  fetch_packages "$build/apt" "${libraries[@]}" catch2
  mkdir -p "$root"/usr/{bin,lib,sbin}
  for part in bin lib sbin; do ln -s usr/$part "$root/$part"; done
  for deb in "$build"/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$root"
  done
  # What names a place on the machine means one below the root.
  find "$root" -type l -lname '/*' -print0 |
    while IFS= read -r -d '' link; do ln -sfn "$root$(readlink "$link")" "$link"; done
  find "$root/usr/lib/aarch64-linux-gnu/cmake" -name '*.cmake' \
    -exec sed -i "s|/usr/lib/aarch64-linux-gnu/libdl\.a|$root&|g" {} +
  touch "$build/root.whole"
}
[[ -f $build/root.whole ]] || make_root >&2

cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake -DCMAKE_UNITY_BUILD=ON >&2
ninja -C "$build" -j "$jobs" tesserec "${tests[@]/#/test_}" >&2

emulate() { qemu-aarch64-static -L "$root" "$@" </dev/null; }
for name in "${tests[@]}"; do
  echo "-- test_$name" >&2
  # qemu answers for the kernel when it is asked for huge pages, and keeps the last real-time signals for itself.
  emulate "$build/tests/test_$name" '~[.]~"huge_pages_refused*"~"Signals: every signal*"' >&2
done

[[ -f build/CMakeCache.txt ]] || cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON >&2
cmake --build build -j "$jobs" --target tesserec >&2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trained() { # DECK PROGRAM...: its instruction set and its digests
  "${@:2}" train "$1" --json --set train.steps=4 --set train.batch_size=256 --set data.synthetic.max_rows=20000 \
    --set data.synthetic.evaluate_samples=0 --set checkpoint.resume=never --set run.overwrite=true \
    --set run.output="$folder/run" 2>"$folder/err" </dev/null >"$folder/out" || { cat "$folder/err" >&2; return 1; }
  grep -oE '"(instruction_set|(weights|state)_digest)": *"[0-9a-z_]+"' "$folder/out" | sed -E 's/.*"(.*)"/\1/' | tr '\n' ' '
}
wrong=0
for deck in inputs/{kaggle_synthetic,dlrm_projection,dlrm_dcn,deepfm,wide_deep,two_tower,din}.toml; do
  here=$(trained "$deck" build/tesserec)
  there=$(trained "$deck" emulate "$build/tesserec")
  verdict="the same bits"
  [[ ${here#* } == "${there#* }" && -n ${here#* } ]] || { verdict="DIFFERENT"; wrong=1; }
  echo "$deck: $here| $there| $verdict"
done
exit $wrong
