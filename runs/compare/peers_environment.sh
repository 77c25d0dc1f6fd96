#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Python environment of peers.py from PyPI: 8 GB, because PyTorch's ordinary wheel brings its CUDA libraries.
#   runs/compare/peers_environment.sh [FOLDER]
# FOLDER is build/peers if not given. PYTHON names the interpreter (python3; it needs venv).
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-build/peers}
"${PYTHON:-python3}" -m venv "$folder"
pip=("$folder/bin/pip" install --quiet)
"${pip[@]}" torch==2.14.1
# Not with its dependencies: it asks for fbgemm-gpu, which overwrites fbgemm-gpu-cpu and needs a driver.
"${pip[@]}" --no-deps torchrec==1.9.2 fbgemm-gpu-cpu==1.9.0
"${pip[@]}" numpy tensordict torchmetrics==1.0.3 tqdm pyre-extensions
"$folder/bin/python" -c 'import fbgemm_gpu, torchrec; print("torchrec", torchrec.__version__)'
