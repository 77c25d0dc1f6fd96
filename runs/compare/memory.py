#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Promised against measured memory: random decks of made-up data, planned and trained for a few steps.

    runs/compare/memory.py [PROGRAM] [--decks 100] [--first 0]

Deck k is a function of k alone. Odd decks run on two ranks. Of each deck it prints the bytes that `tesserec plan`
promises of the rank that needs most, by what holds them, the peak of result.json (VmHWM), and the relative error; at
the end, quantiles of the error. docs/performance.md has its figures.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile


def deck(k, folder):
    draw = random.Random(k)
    tables = draw.randint(2, 20)
    most = 10 ** draw.uniform(3, 6.3)
    rows = [max(4, int(most / 10 ** draw.uniform(0, 3))) for _ in range(tables)]
    dim = draw.choice([8, 16, 32, 64])
    while sum(rows) * dim > 2e8:
        rows = [row // 2 + 4 for row in rows]
    width = draw.choice([64, 256, 512])
    return f"""
[run]
name = "memory_{k}"
output = "{folder}"
seed = {k + 1}
[data.synthetic]
kind = "planted"
samples = 200_000
rows = {rows}
ids_per_bag = {draw.choice([1, 1, 2, 5, 20])}
variable_bags = {draw.choice(["true", "false"])}
zipf = {draw.choice([0.0, 0.8, 1.05])}
[model]
embedding_dim = {dim}
bottom = [{width}, {dim}]
top = [{width}, {width // 2}, 1]
[train]
batch_size = {2 ** draw.randint(8, 14)}
steps = 6
[optimizer]
dense = {{type = "{draw.choice(["sgd", "adam"])}", lr = 0.001}}
sparse = {{type = "{draw.choice(["sgd", "adagrad", "rowwise_adagrad", "adam"])}", lr = 0.001}}
[checkpoint]
keep = {draw.choice([0, 1])}
"""


def run(ranks, *arguments):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    command = ["mpirun", "--oversubscribe", "-n", str(ranks), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default="build/tesserec")
    parser.add_argument("--decks", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    names = ["rows", "states", "messages", "dense", "batches", "checkpoint", "program"]
    print("deck ranks " + " ".join(f"{name:>10}" for name in names) + "   promised       peak  error, MB", flush=True)
    errors = []
    for k in range(asked.first, asked.first + asked.decks):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "deck.toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(deck(k, folder))
            ranks = 1 + k % 2
            memory = run(ranks, asked.program, "plan", path, "--json")["bytes_by_holder"]
            peaks = run(ranks, asked.program, "train", path, "--json")["peak_memory_bytes_of_ranks"]
        promised = [sum(memory[name][rank] for name in names) for rank in range(ranks)]
        rank = max(range(ranks), key=lambda r: promised[r])
        errors.append(promised[rank] / peaks[rank] - 1)
        cells = [memory[name][rank] for name in names] + [promised[rank], peaks[rank]]
        print(f"{k:4} {ranks:5} " + " ".join(f"{1e-6 * cell:10.1f}" for cell in cells) + f" {100 * errors[-1]:+6.1f} %", flush=True)
    errors.sort()
    quantile = lambda share: errors[round(share * (len(errors) - 1))]
    within = sum(abs(error) <= 0.1 for error in errors)
    print("error: " + ", ".join(f"{name} {100 * quantile(share):+.1f} %" for name, share in
                                 [("least", 0), ("5th percentile", 0.05), ("median", 0.5), ("95th", 0.95), ("most", 1)])
          + f"; {within} of {len(errors)} within 10 %")


if __name__ == "__main__":
    main()
