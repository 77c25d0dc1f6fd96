#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicted against measured steps where some rows are popular.

    runs/compare/popular.py [PROGRAM] [--repeats 3] [--clock wall|processor]

Eight settings: ids by Zipf's law that the planted model scatters, and a data set of `tesserec preprocess`, whose
popular rows come first; the whole table on one rank, and on two ranks tables whole, cut at half of their rows, and as
the planner likes. Constants are measured before each round (`bench --only costs`), steps by `bench --only step`.
The clock `processor` is for a machine on which others compute; it also counts the thread that reads batches, which the
prediction does not. docs/performance.md has its figures. Needs 1 GB of memory and about a minute a round.
"""
import argparse
import bisect
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

TABLES, ROWS, SAMPLES, DIM, EXPONENT = 8, 300_000, 200_000, 64, 1.05
PLANS = [(1, "table_wise"), (2, "table_wise"), (2, "row_wise"), (2, "auto")]

COMMON = f"""
[model]
embedding_dim = {DIM}
bottom = [64, {DIM}]
top = [64, 1]
[train]
batch_size = 8192
[optimizer]
dense = {{type = "sgd", lr = 0.001}}
sparse = {{type = "sgd", lr = 0.001}}
[bench]
repeats = 3
steps = 5
"""


def run(ranks, *arguments):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if "bench.clock=processor" in arguments:  # a rank that waits leaves the processor to others, or waiting would count
        environment["OMPI_MCA_mpi_yield_when_idle"] = "1"
    command = ["mpirun", "--bind-to", "core", "-n", str(ranks), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def write_log(path):
    """A raw log: a label, a number, and a token a table, by Zipf's law."""
    draw = random.Random(1)
    upto = list(itertools.accumulate(1 / (k + 1) ** EXPONENT for k in range(ROWS)))
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(SAMPLES):
            ids = (bisect.bisect(upto, draw.random() * upto[-1]) for _ in range(TABLES))
            file.write(f"{draw.randint(0, 1)},{draw.random():.3f}," + ",".join(map(str, ids)) + "\n")


def decks(program, folder):
    planted = f"""
[run]
name = "planted"
output = "{folder}/planted"
[data.synthetic]
kind = "planted"
samples = {SAMPLES}
rows = {[ROWS] * TABLES}
zipf = {EXPONENT}
"""
    log = os.path.join(folder, "log.csv")
    write_log(log)
    columns = '[[preprocess.column]]\nname = "label"\nkind = "label"\npositive = ["1"]\nnegative = ["0"]\n[[preprocess.column]]\nname = "x"\nkind = "number"\n'
    columns += "".join(f'[[preprocess.column]]\nname = "C{t}"\nkind = "category"\n' for t in range(TABLES))
    preprocessed = f"""
[run]
name = "preprocessed"
output = "{folder}/preprocessed"
[preprocess]
format = "table"
train = ["{log}"]
output = "{folder}/data"
header = false
{columns}
[data]
train = ["{folder}/data/train.h5"]
"""
    paths = {}
    for name, text in [("planted", planted), ("preprocessed", preprocessed)]:
        paths[name] = os.path.join(folder, name + ".toml")
        with open(paths[name], "w", encoding="utf-8") as file:
            file.write(text + COMMON)
    run(1, program, "preprocess", paths["preprocessed"])
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default="build/tesserec")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall")
    asked = parser.parse_args()
    program, clock, seconds = asked.program, f"bench.clock={asked.clock}", {}
    with tempfile.TemporaryDirectory() as folder:
        paths = decks(program, folder)
        for round_ in range(asked.repeats):
            for ranks in (1, 2):
                machine = os.path.join(folder, f"machine{ranks}.toml")
                if os.path.exists(machine):
                    os.remove(machine)
                run(ranks, program, "bench", "--only", "costs", "--save", machine, "--set", clock, "--set",
                    "bench.memory=600000000")
                for name, path in paths.items():
                    for _, plan in (one for one in PLANS if one[0] == ranks):
                        keys = ["--set", f"plan.machine={machine}", "--set", f"plan.default={plan}", "--set", clock]
                        predicted = json.loads(run(ranks, program, "plan", path, "--json", *keys))
                        measured = json.loads(run(ranks, program, "bench", path, "--only", "step", "--json", *keys))
                        step = json.dumps(measured).rsplit('"step_seconds": ', 1)[1]
                        seconds.setdefault((ranks, name, plan), []).append(
                            (predicted["predicted_step_seconds"], predicted["critical_path_seconds"],
                             float(step.split(",")[0].split("}")[0])))
                        print(f"round {round_ + 1}, {ranks} ranks, {name}, {plan}: {seconds[ranks, name, plan][-1]}",
                              file=sys.stderr, flush=True)
    print("| ranks | data | plan | predicted ms | of it tables ms | measured ms | difference |")
    print("|---|---|---|---|---|---|---|")
    for (ranks, name, plan), rounds in seconds.items():
        whole, tables, step = (1e3 * statistics.median(one) for one in zip(*rounds))
        print(f"| {ranks} | {name} | {plan} | {whole:.1f} | {tables:.1f} | {step:.1f} | {100 * (whole / step - 1):+.0f} % |")


if __name__ == "__main__":
    main()
