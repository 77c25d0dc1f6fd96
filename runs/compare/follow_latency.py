#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times requests to `tesserec serve --follow` at rest and while it applies deltas.

Trains a run until it has written DELTAS deltas, takes them away, and starts the server on the checkpoint. A client
sends a request of 32 samples every 5 ms: for some seconds at rest, then while all deltas come back at once and are
applied one after the other. Prints percentiles of both, REPEATS times, and of all together.

    python3 runs/compare/follow_latency.py build/tesserec [DELTAS [REPEATS [SAMPLES]]]
"""
import http.client
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
DELTAS, REPEATS, SAMPLES = (int(word) for word in (sys.argv[2:] + ["10", "3", "32"][len(sys.argv) - 2 :]))
ROWS = [2000000, 10000, 500]
DECK = """[run]
output = "{run}"
[data.synthetic]
kind = "planted"
samples = 40000000
rows = {rows}
dense_features = 13
[model]
embedding_dim = 32
bottom = [64, 32]
top = [64, 1]
[train]
batch_size = 2048
[checkpoint]
delta_seconds = 1.5
"""


def wait_until(true, seconds=60):
    end = time.time() + seconds
    while not true():
        if time.time() > end:
            sys.exit("waited in vain")
        time.sleep(0.05)


def deltas_in(folder):
    return sorted(name for name in (os.listdir(folder) if os.path.isdir(folder) else []) if name.endswith(".delta"))


def record(folder):
    """Trains until there are deltas, kills the run, and moves the deltas away."""
    deck = os.path.join(folder, "deck.toml")
    with open(deck, "w", encoding="utf-8") as file:
        file.write(DECK.format(run=folder + "/run", rows=ROWS))
    checkpoints, aside = folder + "/run/checkpoints", folder + "/aside"
    with subprocess.Popen([PROGRAM, "train", deck], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        wait_until(lambda: len(deltas_in(checkpoints)) >= DELTAS, 300)
        run.send_signal(signal.SIGKILL)
    os.mkdir(aside)
    names = deltas_in(checkpoints)[:DELTAS]
    for name in deltas_in(checkpoints):
        shutil.move(f"{checkpoints}/{name}", f"{aside}/{name}")
    return checkpoints, aside, names


def request():
    tensors, data = [], b""

    def add(name, datatype, shape, numbers):
        nonlocal data
        tensors.append({"name": name, "datatype": datatype, "shape": shape, "parameters": {"binary_data_size": len(numbers)}})
        data += numbers

    add("dense", "FP32", [SAMPLES, 13], struct.pack(f"<{13 * SAMPLES}f", *[random.random() for _ in range(13 * SAMPLES)]))
    for feature, rows in enumerate(ROWS):
        ids = [random.randrange(rows) for _ in range(SAMPLES)]
        add(f"C{feature + 1}", "INT64", [SAMPLES], struct.pack(f"<{SAMPLES}q", *ids))
    head = json.dumps({"inputs": tensors, "parameters": {"binary_data_output": True}}).encode()
    return head + data, {"Inference-Header-Content-Length": str(len(head)), "Content-Type": "application/octet-stream"}


class Client:
    """One connection that sends a request every 5 ms."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.next = time.time()

    def ask(self):
        """Returns milliseconds of a request, and the step that scored it."""
        body, headers = request()
        time.sleep(max(0, self.next - time.time()))
        begin = time.perf_counter()
        self.connection.request("POST", "/v2/models/model/infer", body, headers)
        reply = self.connection.getresponse()
        text = reply.read()
        seconds = time.perf_counter() - begin
        if reply.status != 200:
            sys.exit(text.decode())
        self.next = max(self.next + 0.005, time.time())
        size = int(reply.getheader("Inference-Header-Content-Length"))
        return seconds * 1000, json.loads(text[:size])["parameters"]["step"]


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def show(what, times):
    print(f"{what:<10} {len(times):>6} requests  p50 {percentile(times, 0.5):7.3f}  p99 {percentile(times, 0.99):7.3f} ms")


def measure(checkpoints, aside, names):
    with subprocess.Popen([PROGRAM, "serve", os.path.dirname(checkpoints), "--follow", "--port", "0", "--json"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        client = Client(json.loads(server.stdout.readline())["port"])
        for _ in range(200):
            client.ask()
        last = int(names[-1][len("step_") : -len(".delta")])
        for name in names[1:] + names[:1]:  # the first one last: the server sees a chain when all are there
            shutil.copytree(f"{aside}/{name}", f"{checkpoints}/{name}.tmp")
        rest, applying = [], []
        end = time.time() + 0.4 * len(names)
        while time.time() < end:
            rest.append(client.ask()[0])
        for name in names:
            os.rename(f"{checkpoints}/{name}.tmp", f"{checkpoints}/{name}")
        begin, step = time.time(), 0
        while step < last:
            milliseconds, step = client.ask()
            applying.append(milliseconds)
        seconds = time.time() - begin
        server.send_signal(signal.SIGTERM)
    for name in names:
        shutil.rmtree(f"{checkpoints}/{name}")
    show("at rest", rest)
    show("applying", applying)
    print(f"  {len(names)} deltas in {seconds:.2f} s; p99 applying / at rest: "
          f"{percentile(applying, 0.99) / percentile(rest, 0.99):.2f}")
    return rest, applying


def main():
    with tempfile.TemporaryDirectory() as folder:
        checkpoints, aside, names = record(folder)
        size = sum(os.path.getsize(f"{aside}/{name}/{file}") for name in names for file in os.listdir(f"{aside}/{name}")
                   if os.path.isfile(f"{aside}/{name}/{file}"))
        print(f"{len(names)} deltas of {size / len(names) / 2**20:.1f} MiB, {SAMPLES} samples a request")
        results = [measure(checkpoints, aside, names) for _ in range(REPEATS)]
        rest, applying = ([t for result in results for t in result[which]] for which in (0, 1))
        print("all together")
        show("at rest", rest)
        show("applying", applying)
        print(f"  p99 applying / at rest: {percentile(applying, 0.99) / percentile(rest, 0.99):.2f}")


if __name__ == "__main__":
    main()
