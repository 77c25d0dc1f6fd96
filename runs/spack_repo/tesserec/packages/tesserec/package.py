# SPDX-License-Identifier: Apache-2.0
import os
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

    # The source is the tree that this recipe lies in.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 5))

    license("Apache-2.0")

    version("main", branch="main")

    variant("openmp", default=False, description="Several threads a rank")
    variant("nccl", default=True, when="+cuda", description="GPUs of several ranks exchange by NCCL")
    variant("shared", default=False, description="Shared libraries")
    variant("tests", default=False, description="Build the tests, which `spack install --test=root` runs")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    conflicts("%gcc@:11", msg="Tesserec is C++20 as of g++ 12")
    depends_on("cmake@3.22:", type="build")

    depends_on("mpi@3:")
    depends_on("hdf5@1.10:")
    depends_on("zlib-api")
    depends_on("tomlplusplus")
    depends_on("nlohmann-json@3.10:")
    depends_on("xxhash@0.8:")
    depends_on("catch2@2.13:", type="build", when="+tests")

    depends_on("kokkos@3.4:5")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos~openmp+serial", when="~openmp")
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
            self.define_from_variant("TESSEREC_TESTS", "tests"),
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
