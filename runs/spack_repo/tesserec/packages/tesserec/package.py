# SPDX-License-Identifier: Apache-2.0
import re

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *

DECK = """\
run.name = "smoke"
data.synthetic = {kind = "planted", samples = 4096, evaluate_samples = 1024, rows = [1000, 50], ids_per_bag = 3}
model = {bottom = [8], top = [8, 1], embedding_dim = 8}
train.batch_size = 256
"""


class Tesserec(CMakePackage, CudaPackage):
    """Trains deep learning recommendation models whose embedding tables are cut into shards over many processes."""

    # .example stands for the address of whoever serves the project: nobody does yet. Until then Spack takes the tree
    # (spack.yaml: develop), or an archive from a mirror (docs/installing.md).
    homepage = "https://tesserec.example"
    url = "https://tesserec.example/tesserec-0.1.0.tar.gz"
    git = "https://tesserec.example/tesserec.git"

    maintainers("tesserec")

    license("Apache-2.0", checked_by="tesserec")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("openmp", default=False, description="Demand a Kokkos with threads, for several a rank")
    variant("nccl", default=True, when="+cuda", description="GPUs of several ranks exchange by NCCL")
    variant("http", default=True, description="The command serve")
    variant("isal", default=True, description="preprocess unpacks gzip by ISA-L instead of zlib")
    variant("zstd", default=True, description="preprocess reads files packed by zstd")
    variant("parquet", default=False, description="preprocess reads Parquet files, generate writes them")
    variant("shared", default=False, description="Shared libraries")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    requires("%gcc@12:", msg="Tesserec has been built by g++ alone, 12 or newer: its C++20 and its bits are tested there")
    depends_on("cmake@3.22:", type="build")

    depends_on("mpi@3:")
    depends_on("hdf5@1.10:")
    depends_on("zlib-api")
    depends_on("tomlplusplus")
    depends_on("nlohmann-json@3.10:")
    depends_on("xxhash@0.8:")
    depends_on("liburing")
    depends_on("boost@1.74:", when="+http")
    depends_on("isa-l@2.30:", when="+isal")
    depends_on("zstd@1.4:", when="+zstd")
    # With the codecs of other writers' files.
    depends_on("arrow@21: +parquet+shared +brotli+lz4+snappy+zlib+zstd", when="+parquet")
    depends_on("catch2@2.13:", type="test")  # spack install --test=root

    depends_on("kokkos@3.4:5")
    depends_on("kokkos+openmp", when="+openmp")  # without it either will do: what else is in the environment decides
    depends_on("kokkos+serial", when="~openmp")
    depends_on("kokkos+shared", when="+shared")

    with when("+cuda"):
        conflicts("cuda_arch=none", msg="name the GPU: cuda_arch=90 is an H100 or H200")
        conflicts("+shared", msg="shared libraries have not been tried with CUDA")
        depends_on("cuda@12.2:")
        depends_on("kokkos@5: +cuda+wrapper")
        for arch in CudaPackage.cuda_arch_values:
            depends_on(f"kokkos+cuda cuda_arch={arch}", when=f"cuda_arch={arch}")
            depends_on(f"nccl cuda_arch={arch}", when=f"+nccl cuda_arch={arch}")

    conflicts("+ipo", msg="link-time optimisation has not been tried")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("TESSEREC_NCCL", "nccl"),
            self.define_from_variant("TESSEREC_HTTP", "http"),
            self.define_from_variant("TESSEREC_ISAL", "isal"),
            self.define_from_variant("TESSEREC_ZSTD", "zstd"),
            self.define_from_variant("TESSEREC_PARQUET", "parquet"),
            self.define("TESSEREC_TESTS", self.run_tests),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        return args

    def test_describe(self):
        """the program starts"""
        tesserec = which(self.prefix.bin.tesserec, required=True)
        assert "batch_size: integer" in tesserec("describe", output=str)

    def test_train(self):
        """trains to the same bits on one rank and on two"""
        mpiexec = which(self.spec["mpi"].prefix.bin.mpiexec)
        if mpiexec is None:
            raise SkipTest("this MPI has no mpiexec")
        for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):  # in containers
            mpiexec.add_default_env(name, "1")
        with open("smoke.toml", "w") as deck:
            deck.write(DECK)
        digests = []
        for ranks in ("1", "2"):
            result = mpiexec(
                "-n", ranks, self.prefix.bin.tesserec, "train", "smoke.toml", "--json",
                "--set", f"run.output=run_{ranks}", output=str,
            )  # fmt: skip
            digests.append(re.findall(r'"(?:weights|state)_digest": "[0-9a-f]{16}"', result))
        assert len(digests[0]) == 2 and digests[0] == digests[1], digests
