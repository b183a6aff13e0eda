#!/usr/bin/python3
"""What two ranks make of a run beside two threads and one: ranks.py [--program PATH] [--images IDX] [--rounds N] [--busy]

PCD-1 of 784 and 500 units in two shards, float32, at several sizes of a batch (as many chains as rows). One thread, two threads, and
two ranks of one thread each take turns; an epoch's seconds are those of timing.jsonl, the first of each run left out, and the median
of all rounds is shown as updates a second and as efficiency: the speed-up over one thread, divided by two.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS, VISIBLE, HIDDEN, EPOCHS = 20000, 784, 500, 3
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"] + (["--allow-run-as-root"] if os.getuid() == 0 else [])
WAYS = {"1 thread": ([], 1), "2 threads": ([], 2), "2 ranks": (MPIRUN, 1)}


def write_config(path, batch):
    path.write_text(f"""precision = "float32"
data = {{ type = "npy", path = "data.npy" }}
model = {{ type = "rbm", num_visible = {VISIBLE}, num_hidden = {HIDDEN} }}
estimator = {{ type = "pcd", num_chains = {batch} }}
training = {{ num_epochs = {EPOCHS}, batch_size = {batch}, shards = 2 }}
""")


def write_data(path, images):
    if images:
        import gzip
        with gzip.open(images) as f:
            pixels = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, VISIBLE)[:ROWS]
        np.save(path, (pixels > 127).astype(np.uint8))
    else:
        np.save(path, (np.random.default_rng(1).random((ROWS, VISIBLE)) < 0.2).astype(np.uint8))


def updates_per_second(program, folder, launcher, threads):
    subprocess.run([*launcher, program, "train", "run.toml", "--output", "run", "--overwrite", "--threads", str(threads), "--quiet"],
                   check=True, cwd=folder, stdout=subprocess.DEVNULL, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    lines = (folder / "run" / "timing.jsonl").read_text().splitlines()[1:]
    return [json.loads(line)["updates_per_second"] for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "bench" / "bin" / "harmonium"))
    parser.add_argument("--images", help="IDX file of images, gzipped, at a threshold of one half, in place of random bits")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--busy", action="store_true", help="measure beside other work all the same")
    options = parser.parse_args()
    if not options.busy and os.getloadavg()[0] > 0.5:
        sys.exit(f"The load of the last minute is {os.getloadavg()[0]:.1f}: other work would be measured too. Wait, or add --busy.")

    program = str(pathlib.Path(options.program).resolve())
    print("| batch | 1 thread | 2 threads | 2 ranks |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        write_data(folder / "data.npy", options.images)
        for batch in (100, 500, 2000):
            write_config(folder / "run.toml", batch)
            rates = {way: [] for way in WAYS}
            for _ in range(options.rounds):
                for way, (launcher, threads) in WAYS.items():
                    rates[way] += updates_per_second(program, folder, launcher, threads)
            middle = {way: statistics.median(of) for way, of in rates.items()}
            one = middle["1 thread"]
            cells = [f"{one:.3g}"] + [f"{middle[w]:.3g} ({middle[w] / one / 2:.2f})" for w in ("2 threads", "2 ranks")]
            print(f"| {batch} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
