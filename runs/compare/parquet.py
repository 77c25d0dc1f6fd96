#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rates of Parquet files: decoding beside pyarrow on one thread, and preprocess beside plain and .gz text.

parquet.py FOLDER [ROWS]: makes files of ROWS rows (1 000 000) in FOLDER, if it has none of as many, then reads each by
pyarrow and by test_parquet "[speed]", in turn, and preprocesses the same rows from each form on one rank. Needs numpy
and pyarrow, and a build with Arrow at build/ (or BUILD). Rates are of processor time: for reading, the best of three
turns of five runs each; for preprocess, the best of three runs, with that by the time of day."""
import gzip
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

# Different values of each category of Criteo Kaggle.
SIZES = [1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194, 27, 14992, 5461306, 10, 5652,
         2173, 4, 7046547, 18, 15, 286181, 105, 142572]
BUILD = os.environ.get("BUILD", "build")
ZIPF = 1.05


def tokens(random, size, feature, rows):
    """Returns hexadecimal texts whose frequencies follow Zipf's law."""
    power = 1 - ZIPF
    ids = np.minimum(((size**power - 1) * random.random(rows) + 1) ** (1 / power), size - 0.001).astype(np.uint64)
    hashes = ((ids * np.uint64(0x9E3779B97F4A7C15) + np.uint64(feature)) >> np.uint64(32)).astype(np.uint32)
    digits = np.empty((rows, 8), np.uint8)
    for d in range(8):
        nibble = ((hashes >> np.uint32(28 - 4 * d)) & np.uint32(15)).astype(np.uint8)
        digits[:, d] = np.where(nibble < 10, nibble + 48, nibble + 87)
    there = np.packbits(random.random(rows) >= 0.02 * (feature % 5), bitorder="little")
    buffers = [there.tobytes(), np.arange(0, 8 * rows + 1, 8, dtype=np.int32).tobytes(), digits.tobytes()]
    return pa.Array.from_buffers(pa.string(), rows, [pa.py_buffer(buffer) for buffer in buffers])


def make(folder, rows):
    random = np.random.default_rng(1)
    columns = {"label": pa.array((random.random(rows) < 0.25).astype(np.int32))}
    for k in range(13):
        counts = np.floor(np.exp(random.normal(1.5 + 0.3 * (k % 5), 1.5, rows))).astype(np.int32)
        columns[f"I{k + 1}"] = pa.array(counts, mask=random.random(rows) < 0.03 * (k % 7))
    for f, size in enumerate(SIZES):
        columns[f"C{f + 1}"] = tokens(random, size, f, rows)
    table = pa.table(columns)
    for codec in ("zstd", "snappy"):
        pq.write_table(table, folder / f"{codec}.parquet", compression=codec, row_group_size=1 << 17)
    pa.csv.write_csv(table, folder / "rows.tsv",
                     pa.csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none"))
    with open(folder / "rows.tsv", "rb") as text, gzip.open(folder / "rows.tsv.gz", "wb", 6) as packed:
        shutil.copyfileobj(text, packed)

    def lists(most, values):
        ends = np.concatenate([[0], np.cumsum(random.integers(0, most, rows))]).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(ends), values(ends[-1]))

    some = {name: columns[name] for name in ("label", "I1", "C1")}
    some["history"] = lists(20, lambda n: pa.array(np.exp(random.random(n) * np.log(1e6)).astype(np.int64)))
    some["tags"] = lists(4, lambda n: pa.array(np.char.add("t", random.integers(0, 5000, n).astype(str))))
    pq.write_table(pa.table(some), folder / "lists.parquet", compression="zstd", row_group_size=1 << 17)
    (folder / "made").write_text(str(rows))


def read_by_pyarrow(path):
    """Returns rows a second of read_table, whose columns are then touched."""
    least = 1e9
    for _ in range(5):
        begin = time.process_time()
        table = pq.read_table(path, use_threads=False)
        for column in table.columns:
            for chunk in column.chunks:
                for buffer in chunk.buffers():
                    if buffer is not None:
                        np.frombuffer(buffer, np.uint8)[::64].max(initial=0)
        least = min(least, time.process_time() - begin)
        rows = table.num_rows
    return rows / least


def read_here(path):
    said = subprocess.run([f"{BUILD}/tests/test_parquet", "[speed]"], env=os.environ | {"PARQUET_FILES": str(path)},
                          check=True, capture_output=True, text=True).stdout
    return 1e6 * float(re.search(r"rows, ([0-9.]+) M rows/s", said)[1])


def preprocess(folder, name, rows):
    """Returns rows a second by the time of day and by processor time, the best of three."""
    best, processor = 0, 0
    for _ in range(3):
        shutil.rmtree(folder / "out", ignore_errors=True)
        (folder / "deck.toml").write_text(f'[preprocess]\ntrain = ["{folder / name}"]\noutput = "{folder / "out"}"\n')
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
        subprocess.run([f"{BUILD}/tesserec", "preprocess", str(folder / "deck.toml")], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = max(best, rows / (time.time() - begin))
        processor = max(processor, rows / (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return best, processor


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    made = folder / "made"
    if not made.exists() or made.read_text() != str(rows):
        made.unlink(missing_ok=True)
        make(folder, rows)
    for name in ("zstd", "snappy", "lists"):
        path = folder / f"{name}.parquet"
        rates = [(read_by_pyarrow(path), read_here(path)) for _ in range(3)]
        print(f"{name}: pyarrow {max(r[0] for r in rates) / 1e6:.2f}, here {max(r[1] for r in rates) / 1e6:.2f} M rows/s")
    for name in ("zstd.parquet", "snappy.parquet", "rows.tsv.gz", "rows.tsv"):
        best, processor = preprocess(folder, name, pq.read_metadata(folder / "zstd.parquet").num_rows)
        print(f"preprocess {name}: {best / 1e6:.3f} M rows/s, {processor / 1e6:.3f} M rows/s of processor time")


if __name__ == "__main__":
    main()
