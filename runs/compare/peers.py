#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training speed of one peer on the Criteo Kaggle model, as one line of JSON; run by peers.sh.

eager     PyTorch as it comes: nn.EmbeddingBag with sparse gradients, torch.optim.SGD.
compiled  The same with the dense half through torch.compile.
fbgemm    FBGEMM's table-batched embedding with the SGD fused into its backward pass; torch.compile for all else.
torchrec  TorchRec's DLRM, its EmbeddingBagCollection put table_wise on one process by DistributedModelParallel, which
          fuses the tables' SGD as apply_optimizer_in_backward asks.

All have the same tables, layers, loss and rate, one process, and batches that were made before the clock started:
uniform ids. With --device cuda, which the first two take, all lies in a GPU's memory, and a step ends when the GPU is done.
With bf16 the layers run under torch.autocast, which keeps weights, loss and optimizer in fp32; the tables are fp32
always. The figure is from the median step; the loss is the last, of batches seen before.
"""
import argparse
import json
import statistics
import time

import torch
from torch import nn

KAGGLE = [1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194, 27, 14992, 5461306, 10, 5652,
          2173, 4, 7046547, 18, 15, 286181, 105, 142572]
DENSE = 13
BOTTOM, TOP = [512, 256, 64], [512, 256, 1]  # and the dimension below the bottom's


def mlp(width, layers, relu_at_end):
    modules = []
    for out in layers:
        modules += [nn.Linear(width, out), nn.ReLU()]
        width = out
    return nn.Sequential(*(modules if relu_at_end else modules[:-1]))


class DenseHalf(nn.Module):
    """Bottom MLP, dot interaction, top MLP."""

    def __init__(self, tables, dim):
        super().__init__()
        vectors = tables + 1
        self.bottom = mlp(DENSE, BOTTOM + [dim], True)
        self.top = mlp(dim + vectors * (vectors - 1) // 2, TOP, False)
        self.register_buffer("pairs", torch.tril_indices(vectors, vectors, -1))

    def forward(self, dense, pooled):
        z = self.bottom(dense)
        vectors = torch.cat([z.unsqueeze(1), pooled], 1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return self.top(torch.cat([z, products], 1)).squeeze(1)


def loss_of_logits(logits, labels):
    return nn.functional.binary_cross_entropy_with_logits(logits.float(), labels)


def initialise(weights):
    """As TorchRec and the reference DLRM do."""
    for weight in weights:
        nn.init.uniform_(weight, -len(weight) ** -0.5, len(weight) ** -0.5)


def training_step(optimizer, loss_of):
    def step(*batch):
        optimizer.zero_grad()
        loss = loss_of(*batch)
        loss.backward()
        optimizer.step()
        return loss

    return step


def autocast(o):
    return torch.autocast(o.device, torch.bfloat16, enabled=o.precision == "bf16")


def eager(rows, o, whole=lambda half: half):
    tables = nn.ModuleList(nn.EmbeddingBag(n, o.dim, mode="sum", sparse=True) for n in rows)
    initialise([table.weight for table in tables])
    half = DenseHalf(len(rows), o.dim)
    if o.optimizer != "sgd":
        raise SystemExit(f"{o.peer} PyTorch has no sparse row-wise Adagrad; leave {o.peer} out of PEERS")
    optimizer = torch.optim.SGD([*tables.parameters(), *half.parameters()], lr=o.rate)
    offsets = torch.arange(o.batch) * o.ids
    half = whole(half)

    def loss_of(dense, ids, labels):
        pooled = torch.stack([table(i.flatten(), offsets) for table, i in zip(tables, ids)], 1)
        with autocast(o):
            logits = half(dense, pooled)
        return loss_of_logits(logits, labels)

    return training_step(optimizer, loss_of)


def compiled(rows, o):
    return eager(rows, o, torch.compile)


def fbgemm(rows, o):
    from fbgemm_gpu.split_embedding_configs import EmbOptimType
    from fbgemm_gpu.split_table_batched_embeddings_ops_common import EmbeddingLocation
    from fbgemm_gpu.split_table_batched_embeddings_ops_training import ComputeDevice, SplitTableBatchedEmbeddingBagsCodegen

    fused = EmbOptimType.EXACT_SGD if o.optimizer == "sgd" else EmbOptimType.EXACT_ROWWISE_ADAGRAD
    tables = SplitTableBatchedEmbeddingBagsCodegen(
        [(n, o.dim, EmbeddingLocation.HOST, ComputeDevice.CPU) for n in rows],
        optimizer=fused, learning_rate=o.rate, eps=1e-8)
    initialise(tables.split_embedding_weights())
    half = DenseHalf(len(rows), o.dim)
    compiled = torch.compile(half)
    optimizer = torch.optim.SGD(half.parameters(), lr=o.rate, fused=True)
    offsets = torch.arange(len(rows) * o.batch + 1) * o.ids

    def loss_of(dense, ids, labels):
        pooled = tables(ids.flatten(), offsets).view(o.batch, len(rows), o.dim)
        with autocast(o):
            logits = compiled(dense, pooled)
        return loss_of_logits(logits, labels)

    return training_step(optimizer, loss_of)


def torchrec(rows, o):
    from torch import distributed
    from torch.distributed.optim import _apply_optimizer_in_backward as apply_optimizer_in_backward
    from torchrec import EmbeddingBagCollection, EmbeddingBagConfig, KeyedJaggedTensor
    from torchrec.distributed import DistributedModelParallel
    from torchrec.distributed.sharding_plan import construct_module_sharding_plan, table_wise
    from torchrec.distributed.types import ShardingPlan
    from torchrec.models.dlrm import DLRM
    from torchrec.optim import RowWiseAdagrad

    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    names = [f"C{i + 1}" for i in range(len(rows))]
    tables = EmbeddingBagCollection(device=torch.device("meta"), tables=[
        EmbeddingBagConfig(name=f"t_{name}", embedding_dim=o.dim, num_embeddings=n, feature_names=[name])
        for name, n in zip(names, rows)])
    model = DLRM(tables, DENSE, BOTTOM + [o.dim], TOP, torch.device("cpu"))
    fused = torch.optim.SGD if o.optimizer == "sgd" else RowWiseAdagrad
    apply_optimizer_in_backward(fused, model.sparse_arch.parameters(), {"lr": o.rate})
    plan = construct_module_sharding_plan(
        tables, {f"t_{name}": table_wise(rank=0, device="cpu", compute_kernel="fused") for name in names},
        local_size=1, world_size=1, device_type="cpu")
    model = DistributedModelParallel(model, device=torch.device("cpu"), init_data_parallel=False,
                                     plan=ShardingPlan({"sparse_arch.embedding_bag_collection": plan}))
    optimizer = torch.optim.SGD([p for name, p in model.named_parameters() if "sparse_arch" not in name], lr=o.rate)
    lengths = torch.full((len(rows) * o.batch,), o.ids, dtype=torch.int32)

    def loss_of(dense, ids, labels):
        with autocast(o):
            logits = model(dense, KeyedJaggedTensor(names, ids.flatten(), lengths=lengths)).squeeze(1)
        return loss_of_logits(logits, labels)

    return training_step(optimizer, loss_of)


def main():
    peers = {peer.__name__: peer for peer in (eager, compiled, fbgemm, torchrec)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=peers)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--warm-up", type=int, default=10, help="steps before those that count")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--max-rows", type=int, default=0, help="caps every table; 0 = none: 2.2 GB")
    parser.add_argument("--ids", type=int, default=1, help="of a bag")
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--optimizer", choices=("sgd", "rowwise_adagrad"), default="sgd", help="of the tables")
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options = parser.parse_args()
    if options.device == "cuda" and options.peer not in ("eager", "compiled"):
        raise SystemExit(f"{options.peer} is here on processors alone; with --device cuda there are eager and compiled")
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    rows = [min(n, options.max_rows or n) for n in KAGGLE]
    with torch.device(options.device):
        batches = [(torch.rand(options.batch, DENSE),
                    torch.stack([torch.randint(n, (options.batch, options.ids)) for n in rows]),
                    torch.randint(2, (options.batch,)).float()) for _ in range(16)]
        step = peers[options.peer](rows, options)
    wait = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    seconds = []
    for i in range(options.warm_up + options.steps):
        start = time.perf_counter()
        loss = step(*batches[i % len(batches)])
        wait()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"peer": options.peer, "device": options.device,
                      "step_seconds": statistics.median(seconds[options.warm_up:]), "loss": loss.item()}))


if __name__ == "__main__":
    main()
