#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scoring.py MODEL [BATCH...]: scores beside PyTorch on one thread: the C library in fp32, bf16 and int8, and PyTorch
eager, compiled and with dynamic int8, with the same weights and batches. MODEL: dlrm (Criteo Kaggle's layers) or dlrm_dcn.

The contenders take turns, call by call, and a call's time is its thread's processor time, so that a busy machine slows all
alike. Scores are compared first. From the environment: TESSEREC (build/tesserec), SECONDS of each batch size (20), MAX_ROWS
of a table (100000), PEERS ("eager compiled int8").
"""
import ctypes
import glob
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy
import torch

ROWS = [1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194, 27, 14992, 5461306, 10, 5652,
        2173, 4, 7046547, 18, 15, 286181, 105, 142572]
DECK = """[run]
output = "{folder}/run"
[data.synthetic]
kind = "planted"
samples = 4096
evaluate_samples = 64
rows = {rows}
dense_features = 13
[train]
batch_size = 2048
steps = 1
[model]
type = "{model}"
embedding_dim = 16
bottom = [512, 256, 64, 16]
top = [512, 256, 1]
"""


class Reference(torch.nn.Module):
    """The model as one writes it in PyTorch, with the weights that `tesserec export --format npy` wrote."""

    def __init__(self, folder):
        super().__init__()
        read = {os.path.basename(p)[:-4]: torch.from_numpy(numpy.load(p)) for p in glob.glob(folder + "/*.npy")}
        tables = [n for n in read if n.startswith("tables.")]
        tables.sort(key=lambda name: int(name.split(".")[1][1:]))
        self.tables = torch.nn.ModuleList(torch.nn.EmbeddingBag.from_pretrained(read[t], mode="sum") for t in tables)
        self.bottom, self.top = self.chain(read, "bottom", True), self.chain(read, "top", False)
        self.cross = torch.nn.ModuleList()
        while f"dense.cross.{len(self.cross) // 2}.v" in read:
            name = f"dense.cross.{len(self.cross) // 2}."
            self.cross.extend([self.linear(read[name + "v"], None), self.linear(read[name + "w"], read[name + "bias"])])

    @staticmethod
    def linear(weight, bias):
        layer = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None)
        layer.weight.data = weight.clone()
        if bias is not None:
            layer.bias.data = bias.reshape(-1).clone()
        return layer

    def chain(self, read, name, relu_last):
        layers = []
        while f"dense.{name}.{len(layers) // 2}.weight" in read:
            at = f"dense.{name}.{len(layers) // 2}."
            layers += [self.linear(read[at + "weight"], read[at + "bias"]), torch.nn.ReLU()]
        return torch.nn.Sequential(*(layers if relu_last else layers[:-1]))

    def forward(self, dense, ids, offsets):
        x = self.bottom(dense)
        vectors = [x] + [table(ids[t], offsets) for t, table in enumerate(self.tables)]
        if len(self.cross) > 0:
            start = y = torch.cat(vectors, 1)
            for v, w in zip(self.cross[::2], self.cross[1::2]):
                y = start * w(v(y)) + y
        else:
            stacked = torch.stack(vectors, 1)
            pairs = torch.bmm(stacked, stacked.transpose(1, 2))
            row, column = torch.tril_indices(len(vectors), len(vectors), -1)
            y = torch.cat([x, pairs[:, row, column]], 1)
        return torch.sigmoid(self.top(y)).reshape(-1)


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)


def library_caller(example, folder, batches):
    """Returns a function that scores batch i by the C library. Its arguments are made before, as a program would."""
    model = example.Model(folder)
    calls = []
    for dense, ids in batches:
        samples = len(dense)
        offsets = numpy.arange(samples + 1)
        given = (example.Bags * len(model.ids))()
        for f in range(len(model.ids)):
            given[f].offsets = offsets.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
            given[f].ids = ids[f].ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
        scores = numpy.empty(samples, numpy.float32)
        calls.append((samples, dense.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), given,
                      scores.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), scores, offsets))

    def call(i):
        samples, dense, given, scores, array, _ = calls[i]
        if model.library.tesserec_predict(model.context, samples, dense, given, scores) != 0:
            sys.exit(model.library.tesserec_last_error().decode())
        return array

    return call


def peer_caller(model, batches):
    tensors = [(torch.from_numpy(dense), [torch.from_numpy(i) for i in ids], torch.arange(len(dense)))
               for dense, ids in batches]

    def call(i):
        with torch.inference_mode():
            return model(*tensors[i]).numpy()

    return call


def main():
    model, sizes = sys.argv[1], [int(w) for w in sys.argv[2:]] or [1, 32, 270, 2048]
    tesserec = os.path.abspath(os.environ.get("TESSEREC", "build/tesserec"))
    seconds, most = float(os.environ.get("SECONDS", "20")), int(os.environ.get("MAX_ROWS", "100000"))
    peers = os.environ.get("PEERS", "eager compiled int8").split()
    os.environ.setdefault("TESSEREC_PREDICT", os.path.dirname(tesserec) + "/src/libtesserec_predict.so")
    spec = importlib.util.spec_from_file_location("predict", os.path.dirname(__file__) + "/../../examples/predict.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    torch.set_num_threads(1)
    rows = [min(r, most) for r in ROWS]
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/deck.toml", "w") as deck:
            deck.write(DECK.format(folder=folder, rows=rows, model=model))
        run(tesserec, "train", folder + "/deck.toml")
        folders = {p: f"{folder}/{p}" for p in ("fp32", "bf16", "int8")}
        for precision, to in folders.items():
            run(tesserec, "export", folder + "/run", "--to", to, "--mlp", precision)
        run(tesserec, "export", folder + "/run", "--to", folder + "/npy", "--format", "npy")
        reference = Reference(folder + "/npy").eval()
        models = {"eager": lambda: reference,
                  "compiled": lambda: torch.compile(reference, dynamic=False),
                  "int8": lambda: torch.ao.quantization.quantize_dynamic(
                      Reference(folder + "/npy").eval(), {torch.nn.Linear}, torch.qint8)}
        made = {peer: models[peer]() for peer in peers}
        random = numpy.random.default_rng(1)
        for size in sizes:
            batches = [(random.random((size, 13), numpy.float32), [random.integers(0, r, size) for r in rows])
                       for _ in range(16)]
            calls = {"tesserec " + p: library_caller(example, to, batches) for p, to in folders.items()}
            calls |= {"torch " + name: peer_caller(peer, batches) for name, peer in made.items()}
            exact = calls["tesserec fp32"](0).copy()
            differences = {}
            for name, call in calls.items():
                for i in range(len(batches)):
                    call(i)
                differences[name] = float(numpy.abs(call(0) - exact).max())
            if "eager" in made and differences["torch eager"] > 1e-6:
                sys.exit(f"PyTorch's scores differ by {differences['torch eager']}")
            times = {name: [] for name in calls}
            end, i = time.monotonic() + seconds, 0
            while time.monotonic() < end or i < 20:
                for name, call in calls.items():
                    start = time.thread_time_ns()
                    call(i % len(batches))
                    times[name].append((time.thread_time_ns() - start) / 1e9)
                i += 1
            for name, spent in times.items():
                p50, p99 = numpy.percentile(spent, [50, 99])
                print(json.dumps({"model": model, "batch": size, "contender": name, "p50_us": round(p50 * 1e6, 1),
                                  "p99_us": round(p99 * 1e6, 1), "pairs_per_second": round(size / p50), "calls": len(spent),
                                  "largest_difference": differences[name]}), flush=True)


if __name__ == "__main__":
    main()
