# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# What the program needs from Debian, and how to get it. Sourced by runs/quickstart.sh and tests/run.sh.

# To build and run.
program_packages=(
  g++ cmake ninja-build libtrilinos-kokkos-dev libopenmpi-dev openmpi-bin libhdf5-dev
  libtomlplusplus-dev nlohmann-json3-dev libxxhash-dev zlib1g-dev libisal-dev libzstd-dev liburing-dev
  libboost-dev
)
# To run an installed program, and several ranks of it.
runtime_packages=(libtrilinos-kokkos-13.2 openmpi-bin libopenmpi3 libhdf5-103-1 libtomlplusplus3 zlib1g libisal2 libzstd1 liburing2)
# Tests need these besides.
test_packages=(catch2 libboost-context-dev hdf5-tools groff-base zsh slurm-wlm munge mkdocs mkdocs-material)

# need_packages NAME...: installs what is missing. Without root and without sudo that asks for no password it
# prints the line for an administrator and returns 2. Without apt it trusts cmake to name what is missing.
need_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
  local name missing=() as_root=()
  for name in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$name")
  done
  ((${#missing[@]})) || return 0
  if [[ $(id -u) != 0 ]]; then
    if ! sudo -n true 2>/dev/null; then
      {
        echo "These packages are missing and this account may not install them. Please ask an administrator to run:"
        echo "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
      } >&2
      return 2
    fi
    as_root=(sudo -n)
  fi
  echo "Installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}
