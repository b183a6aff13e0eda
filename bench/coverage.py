#!/usr/bin/python3
"""How often intervals of log Z hold it, on restricted machines of 784 and 500 units whose log Z is known exactly.

coverage.py [--machine uniform|blocks] [--seeds N] [--first SEED] [--effort X] [--precision float64|float32] [--results FILE.csv]
            [--program PATH]

uniform: one weight for all couplings: two modes that block Gibbs does not cross. log Z is a sum over the number of visible units
that are on (log-sum-exp of 785 terms).
blocks: 98 blocks of 8 visible and 5 hidden units (10 hidden units stand alone), weights of a normal law: log Z is a sum over blocks
that are enumerated.

FILE.csv receives a row a seed as soon as it is there, and a seed that it has is not run again: a killed run goes on. Ends with how
many intervals were agreed on, how many of these hold log Z, and the 95 % limits of that share (Clopper & Pearson 1934).
"""
import argparse
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

VISIBLE, HIDDEN = 784, 500


def uniform(weight=0.01, visible_bias=-2.499, hidden_bias=-3.92):
    """Parameters and log Z = log sum_K C(n, K) exp(b K) (1 + exp(c + w K))^m."""
    k = np.arange(VISIBLE + 1)
    ways = np.array([math.lgamma(VISIBLE + 1) - math.lgamma(i + 1) - math.lgamma(VISIBLE - i + 1) for i in k])
    terms = ways + visible_bias * k + HIDDEN * np.logaddexp(0, hidden_bias + weight * k)
    return (np.full((VISIBLE, HIDDEN), weight), np.full(VISIBLE, visible_bias), np.full(HIDDEN, hidden_bias),
            np.logaddexp.reduce(terms))


def blocks(of_weights=1.0, of_biases=0.5):
    """Parameters and log Z of blocks that know nothing of each other, each summed over its visible states."""
    random = np.random.default_rng(1)
    visible, hidden = 8, 5
    count = VISIBLE // visible
    w = np.zeros((VISIBLE, HIDDEN))
    b, c = random.normal(0, of_biases, VISIBLE), random.normal(0, of_biases, HIDDEN)
    states = (np.arange(2**visible)[:, None] >> np.arange(visible)) & 1
    log_z = np.logaddexp(0, c[count * hidden:]).sum()
    for i in range(count):
        at, to = slice(i * visible, (i + 1) * visible), slice(i * hidden, (i + 1) * hidden)
        w[at, to] = random.normal(0, of_weights, (visible, hidden))
        log_z += np.logaddexp.reduce(states @ b[at] + np.logaddexp(0, states @ w[at, to] + c[to]).sum(1))
    return w, b, c, log_z


def write_model(path, precision, w, b, c):
    with h5py.File(path, "w") as f:
        f.attrs["format"], f.attrs["format_version"] = "harmonium", 1
        f.attrs["config"] = (f'precision = "{precision}"\n[model]\ntype = "rbm"\n'
                             f"num_visible = {VISIBLE}\nnum_hidden = {HIDDEN}\n")
        f["parameters/weight.visible.hidden"] = w
        f["parameters/bias.visible"], f["parameters/bias.hidden"] = b, c


def limits(held, of):
    """95 % limits of a share, by bisection of the binomial law."""
    def tail(p, low):
        ks = range(held, of + 1) if low else range(held + 1)
        return sum(math.comb(of, k) * p**k * (1 - p)**(of - k) for k in ks)

    def solve(low):
        a, z = 0.0, 1.0
        for _ in range(60):
            m = (a + z) / 2
            if (tail(m, low) < 0.025) == low:
                a = m
            else:
                z = m
        return a
    return (solve(True) if held else 0.0, solve(False) if held < of else 1.0)


def summary(rows, exact):
    agreed = [r for r in rows if r["agree"]]
    held = [r for r in agreed if r["low"] <= exact <= r["high"]]
    widths = sorted(r["high"] - r["low"] for r in agreed)
    print(f"log Z {exact:.6f}; {len(rows)} seeds, {len(agreed)} agreed", end="")
    if agreed:
        low, high = limits(len(held), len(agreed))
        print(f", {len(held)} of these hold log Z (95 % limits of the share {low:.3f} to {high:.3f}), "
              f"median width {widths[len(widths) // 2]:.3f} nats", end="")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--machine", choices=["uniform", "blocks"], default="uniform")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--precision", choices=["float64", "float32"], default="float64")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--program", default=str(root / "build/release/bin/harmonium"))
    args = parser.parse_args()
    results = args.results or pathlib.Path(f"coverage_{args.machine}.csv")
    w, b, c, exact = {"uniform": uniform, "blocks": blocks}[args.machine]()
    rows = []
    if results.exists():
        rows = [{"seed": int(r["seed"]), "low": float(r["low"]), "high": float(r["high"]), "agree": r["agree"] == "True"}
                for r in csv.DictReader(results.open())]
    else:
        results.write_text("seed,low,high,agree,seconds\n")
    done = {r["seed"] for r in rows}
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.h5")
        write_model(model, args.precision, w, b, c)
        for seed in range(args.first, args.first + args.seeds):
            if seed in done:
                continue
            began = time.monotonic()
            command = [args.program, "evaluate", model, "--log-z", "ais", "--effort", str(args.effort), "--seed", str(seed), "--json",
                       "--quiet"]
            printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            found = json.loads(printed)
            low, high = (math.nan if x is None else x for x in found["log_z_interval"])
            rows.append({"seed": seed, "low": low, "high": high, "agree": found["agree"]})
            with results.open("a") as out:
                out.write(f"{seed},{low!r},{high!r},{found['agree']},{time.monotonic() - began:.1f}\n")
            if sys.stdout.isatty():
                summary(rows, exact)
    summary(rows, exact)


if __name__ == "__main__":
    main()
