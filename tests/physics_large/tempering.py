#!/usr/bin/python3
"""log Z of an RBM of bits along tempering ladders, in NumPy alone:

  tempering.py FOLDER LADDERS RUNGS SWEEPS

FOLDER has W.npy (visible x hidden), b.npy, c.npy and means.npy, the visible units' means of the law at beta = 0. Each
ladder is tempered by itself, from draws at beta = 0, even and odd pairs of rungs in turn (Okabe et al. 2001; Syed et al.
2022). Its first quarter is dropped; the rest gives log Z by Bennett's ratio (1976) between neighboring rungs. Prints the
mean over ladders and its standard error.
"""
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
ladders, rungs, sweeps = (int(x) for x in sys.argv[2:5])
W, b, c, means = (np.load(folder / f"{name}.npy").astype(np.float32) for name in ("W", "b", "c", "means"))
b, c, means = b.ravel(), c.ravel(), np.clip(means.ravel(), 0.01, 0.99)
base = np.log(means / (1 - means))
random = np.random.default_rng(1)
WT = np.ascontiguousarray(W.T)


def bits(field):
    """A draw of bits with these log odds."""
    u = random.random(field.shape, dtype=np.float32)
    return (u * (1 + np.exp(-field)) < 1).astype(np.float32)


def log_weight(v, hidden_field, beta):
    """log of sum over h of exp(-E) at each row's beta."""
    x = beta[:, None] * hidden_field
    soft = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return (1 - beta) * (v @ base) + beta * (v @ b) + soft.sum(1, dtype=np.float64)


def spaced(barrier_of, betas):
    """Rungs with equal shares of the barrier that was measured between the old ones."""
    passed = np.concatenate([[0], np.cumsum(barrier_of)])
    return np.interp(np.linspace(0, passed[-1], len(betas)), passed, betas)


def run(betas, sweeps, keep):
    """Tempers from beta = 0; the gaps of log weight up and down of each pair from sweep `keep` on, and rejections."""
    beta = np.tile(betas, ladders).astype(np.float32)
    up = np.concatenate([betas[1:], betas[-1:]])
    down = np.concatenate([betas[:1], betas[:-1]])
    up, down = (np.tile(x, ladders).astype(np.float32) for x in (up, down))
    v = bits(np.tile(base, (beta.size, 1)))
    field = v @ W + c
    gaps, rejected = [], np.zeros(rungs - 1)
    for sweep in range(sweeps):
        h = bits(beta[:, None] * field)
        v = bits((1 - beta)[:, None] * base + beta[:, None] * (h @ WT + b))
        field = v @ W + c
        own, above, below = (log_weight(v, field, x).reshape(ladders, rungs) for x in (beta, up, down))
        gap_up, gap_down = above - own, below - own  # of exp(gap), the ratio of a row's weights at two rungs
        if sweep >= keep:
            gaps.append((gap_up[:, :-1].copy(), gap_down[:, 1:].copy()))
        log_ratio = gap_up[:, :-1] + gap_down[:, 1:]
        rejected += (1 - np.exp(np.minimum(0, log_ratio))).mean(0)
        swap = np.log(random.random(log_ratio.shape)) < log_ratio
        swap[:, (sweep + 1) % 2::2] = False
        lower = np.flatnonzero(np.pad(swap, ((0, 0), (0, 1))))
        for rows in (v, field):
            rows[lower], rows[lower + 1] = rows[lower + 1], rows[lower]
    return gaps, rejected / sweeps


def bennett(forward, backward):
    """log Z_{k+1} - log Z_k from as many draws of both: the root of the sum of two logistic functions."""
    low, high = np.minimum(forward.min(0), -backward.max(0)), np.maximum(forward.max(0), -backward.min(0))
    for _ in range(60):
        middle = (low + high) / 2
        above = (1 / (1 + np.exp(middle - forward))).sum(0) > (1 / (1 + np.exp(-middle - backward))).sum(0)
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return (low + high) / 2


betas = np.linspace(0, 1, rungs)
for _ in range(3):
    betas = spaced(run(betas, sweeps // 16, 0)[1] + 1e-3, betas)
gaps, rejected = run(betas, sweeps, sweeps // 4)
log_z = np.logaddexp(0, base).sum(dtype=np.float64) + c.size * np.log(2)
found = bennett(np.array([up for up, _ in gaps]), np.array([down for _, down in gaps])).sum(1) + log_z
print(found.mean(), found.std(ddof=1) / np.sqrt(ladders))
