#!/usr/bin/python3
"""log Z of an RBM of bits by annealed importance sampling (Salakhutdinov & Murray 2008), in NumPy alone:

  annealing.py FOLDER CHAINS STEPS

FOLDER has W.npy (visible x hidden), b.npy, c.npy and means.npy, the visible units' means in the data, which the law at
beta = 0 has. Prints log Z and its standard error, by the delta method over chains.
"""
import pathlib
import sys

import numpy as np

folder, chains, steps = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
W, b, c, means = (np.load(folder / f"{name}.npy").astype(np.float32) for name in ("W", "b", "c", "means"))
b, c, means = b.ravel(), c.ravel(), np.clip(means.ravel(), 0.01, 0.99)
base = np.log(means / (1 - means))
random = np.random.default_rng(1)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def log_weight(v, beta):
    """log of sum over h of exp(-E) at beta, less what does not depend on beta."""
    return (1 - beta) * (v @ base) + beta * (v @ b) + np.logaddexp(0, beta * (v @ W + c)).sum(1, dtype=np.float64)


v = (random.random((chains, b.size)) < logistic(base)).astype(np.float32)
log_w = np.zeros(chains)
betas = np.linspace(0, 1, steps + 1)
for k in range(steps):
    log_w += log_weight(v, betas[k + 1]) - log_weight(v, betas[k])
    beta = np.float32(betas[k + 1])
    h = (random.random((chains, c.size), dtype=np.float32) < logistic(beta * (v @ W + c))).astype(np.float32)
    field = (1 - beta) * base + beta * (h @ W.T + b)
    v = (random.random((chains, b.size), dtype=np.float32) < logistic(field)).astype(np.float32)
log_z_base = np.logaddexp(0, base).sum(dtype=np.float64) + c.size * np.log(2)
top = log_w.max()
w = np.exp(log_w - top)
print(log_z_base + top + np.log(w.mean()), w.std(ddof=1) / w.mean() / np.sqrt(chains))
