#!/usr/bin/python3
"""Training, sampling and memory at 784 x 500, float32, beside a plain PyTorch loop and scikit-learn's BernoulliRBM, in
one run: all take turns, so that whatever else the machine does falls on each. Medians are printed, and their ratios.

    scripts/install_packages.sh bench
    cmake --preset bench && cmake --build --preset bench
    bench/compare_peers.py [--rounds N] [--program build/bench/bin/harmonium] [--quick] [--busy]

Columns of the training table: seconds an epoch of 60,000 rows; how many times faster than PyTorch and scikit-learn, the
same number of threads each; peak memory, data included; matrix products of 784 x 500 x batch an update, as the program
called them; and the share of sgemm's limit, the time of five products at BLAS's own speed over the time taken.
Of Gibbs sampling: milliseconds a step of all chains, units drawn a second, and effective samples a second.
"""
import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of this process, which measures BLAS
ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS, VISIBLE, HIDDEN = 60000, 784, 500
PYTHON = "/usr/bin/python3"  # Debian's, with Debian's packages


def environment(threads):
    return {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}


def run(command, threads, **more):
    """Runs it on as many cores as threads; gives its output and its peak memory in MB."""
    cores = ",".join(str(c) for c in sorted(os.sched_getaffinity(0))[:threads])
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(["taskset", "-c", cores, *map(str, command)], stdout=out, env=environment(threads), **more)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"{command[0]} failed")
        out.seek(0)
        return out.read(), usage.ru_maxrss / 1024


def write_data(path, images):
    """In a process of its own: what this one has ever held would count as the peak of every child."""
    code = f"""import gzip, sys, numpy as np
images = {images!r}
if images:
    bits = np.frombuffer(gzip.open(images).read(), np.uint8, offset=16).reshape(-1, {VISIBLE}) > 127
else:
    bits = np.random.default_rng(1).random(({ROWS}, {VISIBLE}), dtype=np.float32) < 0.2
np.save(sys.argv[1], bits.astype(np.uint8))
print(bits.mean())"""
    return float(subprocess.run([PYTHON, "-c", code, str(path)], check=True, capture_output=True, text=True).stdout)


def write_config(path, kind, batch, epochs):
    path.write_text(f"""precision = "float32"
[data]
type = "npy"
path = "data.npy"
[model]
type = "rbm"
num_visible = {VISIBLE}
num_hidden = {HIDDEN}
[estimator]
type = "{kind}"
[training]
num_epochs = {epochs}
batch_size = {batch}
""")


def sgemm_seconds(batch):
    """One product of batch x 784 by 784 x 500 on one thread, by the BLAS that all of them use: the best of many."""
    import numpy as np

    blas = ctypes.CDLL("libblas.so.3")
    a, b = np.random.rand(batch, VISIBLE).astype("f"), np.random.rand(VISIBLE, HIDDEN).astype("f")
    c = np.zeros((batch, HIDDEN), "f")
    pointer = lambda x: x.ctypes.data_as(ctypes.c_void_p)
    best = 1e9
    for _ in range(50):
        start = time.perf_counter()
        for _ in range(5):
            blas.cblas_sgemm(101, 111, 111, batch, HIDDEN, VISIBLE, ctypes.c_float(1), pointer(a), VISIBLE, pointer(b),
                             HIDDEN, ctypes.c_float(0), pointer(c), HIDDEN)
        best = min(best, (time.perf_counter() - start) / 5)
    return best


class Ours:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.counter = pathlib.Path(program).resolve().parent.parent / "lib" / "count_products.so"

    def train(self, kind, batch, threads, epochs=3):
        write_config(self.folder / "run.toml", kind, batch, epochs)
        _, memory = run([self.program, "train", self.folder / "run.toml", "--output", self.folder / "run", "--overwrite",
                         "--threads", threads, "--quiet"], threads)
        lines = (self.folder / "run" / "timing.jsonl").read_text().splitlines()
        return [json.loads(line)["seconds"] for line in lines[1:]], memory

    def products_an_update(self, kind, batch):
        """Of one epoch more: what start, metrics and the file cost is in both runs."""
        counted = []
        for epochs in (1, 2):
            read, write = os.pipe()
            write_config(self.folder / "run.toml", kind, batch, epochs)
            subprocess.run([self.program, "train", self.folder / "run.toml", "--output", self.folder / "run",
                            "--overwrite", "--threads", "1", "--quiet"], check=True, stdout=subprocess.DEVNULL,
                           pass_fds=[write],
                           env={**environment(1), "LD_PRELOAD": str(self.counter), "COUNT_PRODUCTS_FD": str(write)})
            os.close(write)
            with os.fdopen(read) as f:
                counted.append(sum(int(line) for line in f))
        return (counted[1] - counted[0]) / (2 * VISIBLE * HIDDEN * ROWS)

    def gibbs(self, chains, steps, threads):
        seconds = []
        for n in (steps, 2 * steps):
            start = time.perf_counter()
            run([self.program, "sample", self.folder / "run" / "model.h5", "--num-samples", chains, "--steps", n,
                 "--output", self.folder / "samples.npy", "--threads", threads, "--quiet"], threads)
            seconds.append(time.perf_counter() - start)
        return seconds[1] - seconds[0]

    def autocorrelation_time(self):
        """In steps, of the slowest of all numbers that are looked at, once chains have mixed; None: they have not."""
        out, _ = run([self.program, "diagnose", self.folder / "run" / "model.h5", "--json", "--quiet"], 1)
        found = json.loads(out)
        return found["autocorrelation_time"] if found["mixed"] else None

    def ais(self, walks, temperatures, threads):
        """Seconds of so many temperatures more: what finds the path, and the program's start, are in both runs."""
        seconds = []
        for n in (temperatures // 2, temperatures // 2 + temperatures):
            start = time.perf_counter()
            run([self.program, "evaluate", self.folder / "run" / "model.h5", "--log-z", "ais", "--set", "log_z.sides=forward",
                 "--set", f"log_z.num_chains={walks}", "--set", f"log_z.num_temperatures={n}", "--threads", threads, "--quiet"],
                threads)
            seconds.append(time.perf_counter() - start)
        return seconds[1] - seconds[0]


def peer(script, *arguments, threads):
    out, memory = run([PYTHON, ROOT / "bench" / script, *arguments], threads)
    return [float(line) for line in out.split()], memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--program", default=str(ROOT / "build" / "bench" / "bin" / "harmonium"))
    parser.add_argument("--images", help="IDX file of 60,000 images, at a threshold of one half, in place of random bits of "
                        "which 20 %% are ones; what peers train on makes no difference to their speed")
    parser.add_argument("--quick", action="store_true", help="batch 500 on one thread alone")
    parser.add_argument("--busy", action="store_true", help="measure beside other work all the same")
    options = parser.parse_args()
    if not options.busy and os.getloadavg()[0] > 0.5:
        sys.exit(f"The load of the last minute is {os.getloadavg()[0]:.1f}: other work would be measured too. Wait, or add --busy.")
    middle = statistics.median

    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        density = write_data(folder / "data.npy", options.images)
        print(f"{density:.1%} of the data are ones.\n")
        ours = Ours(options.program, folder)
        print("| update | batch | threads | s/epoch | PyTorch | ratio | scikit-learn | ratio | MB | PyTorch | "
              "scikit-learn | products | share of sgemm |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
        for batch in (500,) if options.quick else (100, 500):
            limit = 5 * sgemm_seconds(batch) * ROWS / batch
            for kind in ("cd", "pcd"):
                for threads in (1,) if options.quick else (1, 2):
                    times = {"ours": [], "torch": [], "sklearn": []}
                    memory = {}
                    for _ in range(options.rounds):
                        seconds, memory["ours"] = ours.train(kind, batch, threads)
                        times["ours"] += seconds
                        seconds, memory["torch"] = peer("torch_rbm.py", kind, batch, 2, threads, threads=threads)
                        times["torch"] += seconds
                        if kind == "pcd":
                            seconds, memory["sklearn"] = peer("sklearn_rbm.py", kind, batch, 1, threads=threads)
                            times["sklearn"] += seconds
                    own, torch = middle(times["ours"]), middle(times["torch"])
                    sklearn = middle(times["sklearn"]) if times["sklearn"] else None
                    print(f"| {kind.upper()}-1 | {batch} | {threads} | {own:.2f} | {torch:.2f} | {torch / own:.2f} | "
                          + (f"{sklearn:.2f} | {sklearn / own:.2f}" if sklearn else "– | –")
                          + f" | {memory['ours']:.0f} | {memory['torch']:.0f} | "
                          + (f"{memory['sklearn']:.0f}" if sklearn else "–")
                          + f" | {ours.products_an_update(kind, batch):.2f} | {limit / threads / own:.0%} |", flush=True)
        print()
        time_of_chains = ours.autocorrelation_time()
        if time_of_chains:
            print(f"Effective samples are independent ones: one in {time_of_chains:.3g} steps of a chain, of the slowest number "
                  "that `harmonium diagnose` looks at in this machine, which peers are taken to draw, too.\n")
        print("| Gibbs sampling, chains | threads | ms a step | PyTorch | ratio | scikit-learn | ratio | updates/s | "
              "effective samples/s | PyTorch |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        for chains in (500,) if options.quick else (100, 500):
            steps = 50000 // chains
            for threads in (1,) if options.quick else (1, 2):
                times = {"ours": [], "torch": [], "sklearn": []}
                for _ in range(options.rounds):
                    times["ours"].append(ours.gibbs(chains, 5 * steps, threads) / (5 * steps))
                    times["torch"].append(peer("torch_rbm.py", "gibbs", chains, steps, threads, threads=threads)[0][0] / steps)
                    times["sklearn"].append(peer("sklearn_rbm.py", "gibbs", chains, steps, threads=threads)[0][0] / steps)
                own, torch, sklearn = (1e3 * middle(times[k]) for k in ("ours", "torch", "sklearn"))
                effective = lambda ms: f"{1e3 * chains / ms / time_of_chains:.3g}" if time_of_chains else "–"
                print(f"| {chains} | {threads} | {own:.2f} | {torch:.2f} | {torch / own:.2f} | {sklearn:.2f} | "
                      f"{sklearn / own:.2f} | {1e3 * chains / own * (VISIBLE + HIDDEN):.3g} | {effective(own)} | "
                      f"{effective(torch)} |", flush=True)
        print()
        print("| annealing, 1000 walks of 1000 temperatures, threads | s | PyTorch | ratio |")
        print("|---|---|---|---|")
        for threads in (1,) if options.quick else (1, 2):
            own = middle([ours.ais(1000, 1000, threads) for _ in range(options.rounds)])
            torch = middle([10.0 * peer("torch_rbm.py", "ais", 1000, 100, threads, threads=threads)[0][0]
                            for _ in range(options.rounds)])
            print(f"| {threads} | {own:.1f} | {torch:.1f} | {torch / own:.2f} |", flush=True)


main()
