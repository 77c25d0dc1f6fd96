# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Of Open MPI, for scripts that start many jobs on one machine. Sourced.
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_ess_singleton_isolated=1 # one rank alone needs no helper process
# The ranks share a machine: MPI need not look for a network, which takes it longer than a case.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader}
export OMPI_MCA_odls_base_sigkill_timeout=0 # of a job that fails mpirun kills the other ranks at once, not a second later
