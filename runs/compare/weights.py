#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weights and scores of models in PyTorch, for tests/golden/data/pytorch and tests/app/import.sh.

weights.py make FOLDER: writes rows.h5, a data set of 200 samples, and for each model MODEL.safetensors and MODEL.csv, the
scores. reference: DLRM_Net of facebookresearch/dlrm, whose files lie in the folder $DLRM. torchrec, torchrec_dcn: DLRM and
DLRM_DCN of the package torchrec, inside DLRMTrain. Weights are fp32; those of torchrec_dcn fp16 (tables) and bf16 (layers).
weights.py check EXPORTED.safetensors ROWS.h5 SCORES.csv: computes the scores of a DLRM in PyTorch from the weights that
`tesserec export --format safetensors` wrote, and prints the largest difference from those of `tesserec predict`.
"""
import os
import sys

import h5py
import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

ROWS, DIM, DENSE, BOTTOM, TOP, SAMPLES = [40, 7, 100], 8, 4, [16, 8], [12, 6, 1], 200
FEATURES = ["user", "shop", "item"]


def write_rows(path):
    random = np.random.default_rng(44)
    with h5py.File(path, "w", libver=("v110", "v110")) as f:
        f.attrs.update(format="tesserec-dataset", version=1, samples=SAMPLES, features=FEATURES, rows=ROWS,
                       dense_features=["d%d" % i for i in range(DENSE)])
        f["labels"] = random.integers(0, 2, SAMPLES).astype("u1")
        f["dense"] = random.normal(size=(SAMPLES, DENSE)).astype("f4")
        for name, rows in zip(FEATURES, ROWS):
            offsets = np.concatenate([[0], np.cumsum(random.integers(0, 4, SAMPLES))])
            f["sparse/%s/offsets" % name] = offsets.astype("i8")
            f["sparse/%s/values" % name] = random.integers(0, rows, offsets[-1]).astype("i4")


def read_rows(path):
    """Returns dense numbers, and offsets and ids by feature."""
    with h5py.File(path) as f:
        read = lambda name: torch.from_numpy(f[name][:].astype("f4" if name == "dense" else "i8"))
        names = list(f.attrs["features"])
        return read("dense"), [(read("sparse/%s/offsets" % n)[:-1], read("sparse/%s/values" % n)) for n in names]


def start(model):
    """Gives tables and biases numbers large enough that scores differ."""
    torch.manual_seed(44)
    for tensor in model.state_dict().values():
        if tensor.is_floating_point():
            tensor.copy_(torch.randn(tensor.shape) * (0.5 if tensor.dim() < 2 else 1 / tensor.shape[1]**0.5))


def write(folder, name, state, scores):
    save_file({k: v.contiguous() for k, v in state.items()}, "%s/%s.safetensors" % (folder, name))
    with open("%s/%s.csv" % (folder, name), "w") as f:
        f.writelines("%.9g\n" % score for score in scores)
    print(name, "scores from", min(scores), "to", max(scores))


def make_reference(folder, dense, bags):
    sys.path.insert(0, os.environ["DLRM"])
    from dlrm_s_pytorch import DLRM_Net
    width = DIM + (len(ROWS) + 1) * len(ROWS) // 2
    model = DLRM_Net(DIM, np.array(ROWS), np.array([DENSE] + BOTTOM), np.array([width] + TOP),
                     arch_interaction_op="dot", sigmoid_top=len(TOP) - 1)
    start(model)
    scores = model(dense, [o for o, _ in bags], [i for _, i in bags]).detach().flatten().tolist()
    write(folder, "reference", model.state_dict(), scores)


def make_torchrec(folder, dense, bags):
    from torchrec import EmbeddingBagCollection, EmbeddingBagConfig, KeyedJaggedTensor
    from torchrec.models.dlrm import DLRM, DLRM_DCN, DLRMTrain
    lengths = [torch.diff(torch.cat([o, torch.tensor([len(i)])])) for o, i in bags]
    sparse = KeyedJaggedTensor(FEATURES, torch.cat([i for _, i in bags]), lengths=torch.cat(lengths))
    for name, kind, more in (("torchrec", DLRM, {}),
                             ("torchrec_dcn", DLRM_DCN, {"dcn_num_layers": 2, "dcn_low_rank_dim": 5})):
        tables = [EmbeddingBagConfig(name="t_" + f, embedding_dim=DIM, num_embeddings=r, feature_names=[f])
                  for f, r in zip(FEATURES, ROWS)]
        train = DLRMTrain(kind(EmbeddingBagCollection(tables=tables), DENSE, BOTTOM, TOP, **more))
        start(train)
        state = train.state_dict()
        if name == "torchrec_dcn":
            state = {k: v.half() if "embedding_bags" in k else v.bfloat16() for k, v in state.items()}
            train.load_state_dict({k: v.float() for k, v in state.items()})
        scores = train.model(dense, sparse).sigmoid().detach().flatten().tolist()
        write(folder, name, state, scores)


def check(exported, rows, csv):
    weights = load_file(exported)
    dense, bags = read_rows(rows)

    def mlp(x, name):
        layers = sum(k.startswith("dense.%s." % name) and k.endswith(".weight") for k in weights)
        for i in range(layers):
            x = nn.functional.linear(x, weights["dense.%s.%d.weight" % (name, i)],
                                     weights["dense.%s.%d.bias" % (name, i)].flatten())
            x = x if name == "top" and i == layers - 1 else x.relu()
        return x

    tables = [weights["tables.%s.weight" % f] for f in FEATURES]
    vectors = [mlp(dense, "bottom")]
    vectors += [nn.functional.embedding_bag(i, t, o, mode="sum") for (o, i), t in zip(bags, tables)]
    z = torch.stack(vectors, 1)
    first, second = torch.tril_indices(z.shape[1], z.shape[1], -1)
    pairs = torch.bmm(z, z.transpose(1, 2))[:, first, second]
    scores = mlp(torch.cat([vectors[0], pairs], 1), "top").sigmoid().flatten()
    ours = torch.tensor([float(line) for line in open(csv) if line[0].isdigit()])
    print("largest difference of %d scores: %.3g" % (len(ours), (scores - ours).abs().max()))


if len(sys.argv) == 3 and sys.argv[1] == "make":
    write_rows(sys.argv[2] + "/rows.h5")
    batch = read_rows(sys.argv[2] + "/rows.h5")
    make_reference(sys.argv[2], *batch)
    make_torchrec(sys.argv[2], *batch)
elif len(sys.argv) == 5 and sys.argv[1] == "check":
    check(*sys.argv[2:])
else:
    sys.exit(__doc__)
