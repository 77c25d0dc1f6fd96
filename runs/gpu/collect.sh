#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# collect.sh BUILD FOLDER: what check.sh needs on a machine that has a GPU, and no MPI, HDF5, Kokkos or network: program and
# tests, the libraries they need, Open MPI with its plugins, decks and scripts; FOLDER.tar.xz has the same. The C and C++
# libraries, the driver's and CUDA's large ones are the other machine's. FOLDER/run COMMAND... starts what is in it.
# From the environment: TESTS, the test programs that come along.
set -euo pipefail
(($# == 2)) || { echo "usage: $0 BUILD FOLDER" >&2; exit 2; }
build=$(cd "$1" && pwd)
[[ ! -e $2 || -f $2/about ]] || { echo "$0: $2 is there and was not made by this script; name another folder" >&2; exit 2; }
rm -rf "$2"
mkdir -p "$2"/{bin,lib,ompi/{bin,etc,lib,share}}
folder=$(cd "$2" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
read -ra tests <<<"${TESTS-embedding products layers losses network train sharding golden comm optim core}"
[[ -n ${TESTS+given} || ! -x $build/tests/test_cublaslt ]] || tests+=(cublaslt)
most=$((60 << 20)) # bytes of the archive

fail() { echo "collect.sh: $*" >&2; exit 2; }
megabytes() { awk -v b="$1" 'BEGIN { printf "%.1f MiB", b / 1048576 }'; }
path_of() { ompi_info --path "$1" | sed 's/^[^:]*: *//'; }

programs=("$build/tesserec")
for name in "${tests[@]}"; do programs+=("$build/tests/test_$name"); done
for program in "${programs[@]}"; do
  [[ -x $program ]] || fail "$program is not there; build it (cmake --build $1 --target $(basename "$program"))"
  strip -s -o "$folder/bin/$(basename "$program")" "$program"
done
command -v ompi_info >/dev/null || fail "ompi_info is not there; it takes Open MPI along, and no other MPI"

# Open MPI: one node, shared memory, no ssh, no network.
plugins='allocator|bml_r2|btl_(self|vader|sm)|coll_(basic|inter|libnbc|self|tuned)|errmgr|ess_(env|hnp|pmi|singleton)|filem'
plugins+='|grpcomm|iof|mpool|odls|oob_tcp|op|osc_(rdma|sm)|patcher|plm_isolated|pmix|pml_ob1|prrte|rcache|regx|rmaps|rml|routed'
plugins+='|rtc|schizo|shmem|state|topo_basic|threads|sharedfp_individual|fs_ufs|io_ompio|fcoll_individual|fbtl_posix|pstat|ras_simulator|reachable'
mkdir -p "$folder/ompi/lib/plugins"
for file in "$(path_of pkglibdir)"/mca_*.so; do
  [[ ! $(basename "$file") =~ ^mca_($plugins)(_|\.) ]] || cp -L "$file" "$folder/ompi/lib/plugins/"
done
for name in orterun orted prterun prted; do
  file=$(path_of bindir)/$name
  [[ ! -x $file ]] || cp -L "$file" "$folder/ompi/bin/"
done
ln -s orterun "$folder/ompi/bin/mpirun"
cp -rL "$(path_of pkgdatadir)" "$folder/ompi/share/openmpi"
# A PMIx that stands outside of Open MPI has plugins of its own.
pmix=$(ldd "$folder"/ompi/lib/plugins/mca_pmix_*.so 2>/dev/null | awk '$1 ~ /^libpmix/ { print $3; exit }')
if [[ -n $pmix ]]; then
  pmix=$(dirname "$(readlink -f "$pmix")")
  mkdir -p "$folder/pmix/lib"
  cp -rL "$pmix/pmix" "$folder/pmix/lib/"
  [[ ! -d $pmix/../share ]] || cp -rL "$pmix/../share" "$folder/pmix/"
fi

theirs='^(ld-linux|libc|libm|libdl|librt|libpthread|libresolv|libutil|libstdc\+\+|libgcc_s)[-.]|^lib(cuda|cublas|cublasLt|cusolver|cusparse|cufft|curand|nccl)\.so'
mapfile -t users < <(find "$folder" -type f \( -name '*.so*' -o -perm -u+x \))
needed=$({ ldd "${programs[@]}"; ldd "${users[@]}"; } 2>/dev/null | awk '/=>/ { print $1, $3 }' | sort -u)
while read -r name path; do
  [[ ! $name =~ $theirs ]] || continue
  [[ $path == /* ]] || fail "$name is needed and not found; set LD_LIBRARY_PATH as the program wants it"
  cp -Ln "$path" "$folder/lib/$name"
done <<<"$needed"

# Decks, golden numbers and scripts, at the places that they have here.
tree=$folder/tree
mkdir -p "$tree"/{runs/compare,inputs,tests/app,tests/golden/data/reference}
cp -r runs/gpu "$tree/runs/"
cp runs/compare/peers.py "$tree/runs/compare/"
cp inputs/bench.toml inputs/bench_rows.toml "$tree/inputs/"
cp tests/app/{lib,lib_samples,models}.sh "$tree/tests/app/"
cp tests/mpi.sh "$tree/tests/"
cp tests/golden/data/reference/{dlrm_steps,dcn_steps,deepfm,projection}.h5 "$tree/tests/golden/data/reference/"
cp tests/golden/data/{din,two_tower}.h5 "$tree/tests/golden/data/"

cat >"$folder/run" <<'END'
#!/usr/bin/env bash
# run COMMAND...: with the programs, libraries and Open MPI of this folder; several ranks may share a core.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export OPAL_PREFIX=$here/ompi OMPI_MCA_mca_base_component_path=$here/ompi/lib/plugins PMIX_INSTALL_PREFIX=$here/pmix
export OMPI_MCA_plm=isolated OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_pml=ob1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PMIX_MCA_gds=hash PMIX_MCA_pcompress_base_silence_warning=1
export PATH=$here/bin:$here/ompi/bin:$PATH:/usr/local/cuda/bin
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:/usr/local/cuda/lib64:/usr/local/nvidia/lib64
export TESSEREC_GOLDEN=$here/tree/tests/golden/data/reference
exec "$@"
END
chmod +x "$folder/run"

# value NAME: of CMake's cache
value() { sed -n "s/^$1:[^=]*=//p" "$build/CMakeCache.txt" | head -n 1; }
gpu=no
! readelf -SW "$build/tesserec" | grep nv_fatbin >/dev/null || gpu=$(sed -n 's/^set(Kokkos_ARCH \(.*\))/\1/p' "$(value Kokkos_DIR)/KokkosConfigCommon.cmake")
{
  echo "program: $("$build/tesserec" --version)"
  echo "commit: $(git rev-parse --short HEAD 2>/dev/null || echo unknown)$(git diff --quiet HEAD 2>/dev/null || echo ', changed')"
  echo "compiler: $("$(value CMAKE_CXX_COMPILER)" --version | grep -m1 "[0-9]\.[0-9]")"
  echo "gpu: $gpu"
  echo "tests: ${tests[*]}"
} >"$folder/about"

cat "$folder/about"
for part in bin lib ompi pmix tree; do
  [[ ! -d $folder/$part ]] || echo "$part: $(megabytes "$(du -sb "$folder/$part" | cut -f1)")"
done
# One window over all programs: they hold the same libraries.
tar -C "$folder/.." -cf - --owner=0 --group=0 "$(basename "$folder")" | xz -T1 --lzma2=preset=6,dict=256MiB >"$folder.tar.xz"
size=$(stat -c %s "$folder.tar.xz")
echo "$folder.tar.xz: $(megabytes "$size")"
((size <= most)) || echo "that is over $(megabytes $most): leave out tests, for instance TESTS=\"embedding layers network\" $0 $1 $2"
