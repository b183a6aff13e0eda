"""A plain PyTorch loop for CD-1 and PCD-1 of a binary RBM: what a careful user would write, float32, in place, one thread.

    python3 bench/torch_rbm.py cd|pcd BATCH EPOCHS [THREADS]      an epoch of training
    python3 bench/torch_rbm.py gibbs CHAINS STEPS [THREADS]       Gibbs steps of all chains
    python3 bench/torch_rbm.py ais WALKS TEMPERATURES [THREADS]   annealed importance sampling

Prints the seconds of each epoch over 60,000 rows of 784 columns with 500 hidden units, after one epoch of warming up, or
those of all steps.
"""
import sys
import time

import torch

ROWS, VISIBLE, HIDDEN, RATE = 60000, 784, 500, 0.01


def gibbs(chains, steps):
    weight = torch.randn(VISIBLE, HIDDEN) * 0.01
    visible_bias, hidden_bias = torch.full((VISIBLE,), -1.4), torch.zeros(HIDDEN)
    hidden = torch.bernoulli(torch.full((chains, HIDDEN), 0.5))
    start = time.perf_counter()
    with torch.no_grad():
        for _ in range(steps):
            visible = torch.bernoulli(torch.addmm(visible_bias, hidden, weight.t()).sigmoid_())
            hidden = torch.bernoulli(torch.addmm(hidden_bias, visible, weight).sigmoid_())
    print(f"{time.perf_counter() - start:.4f}", flush=True)


def ais(walks, temperatures):
    """Salakhutdinov & Murray (2008), hidden units summed out of the weights: two products a temperature."""
    weight = torch.randn(VISIBLE, HIDDEN) * 0.01
    visible_bias, hidden_bias = torch.full((VISIBLE,), -1.4), torch.zeros(HIDDEN)
    softplus = torch.nn.functional.softplus
    visible = torch.bernoulli(torch.full((walks, VISIBLE), 0.5))
    log_weights = torch.zeros(walks)
    start = time.perf_counter()
    with torch.no_grad():
        for k in range(temperatures):
            beta, after = k / temperatures, (k + 1) / temperatures
            fields = torch.addmm(hidden_bias, visible, weight)
            log_weights += (after - beta) * (visible @ visible_bias)
            log_weights += (softplus(after * fields) - softplus(beta * fields)).sum(1)
            hidden = torch.bernoulli(fields.mul_(after).sigmoid_())
            visible = torch.bernoulli(torch.addmm(visible_bias, hidden, weight.t()).mul_(after).sigmoid_())
    print(f"{time.perf_counter() - start:.4f}", flush=True)


def main():
    kind, batch, epochs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    torch.manual_seed(1)
    if kind in ("gibbs", "ais"):
        (gibbs if kind == "gibbs" else ais)(batch, epochs)
        return
    data = (torch.rand(ROWS, VISIBLE) < 0.2).float()
    weight = torch.randn(VISIBLE, HIDDEN) * 0.01
    visible_bias, hidden_bias = torch.full((VISIBLE,), -1.4), torch.zeros(HIDDEN)
    chain = torch.bernoulli(torch.full((batch, HIDDEN), 0.5))
    step = RATE / batch
    with torch.no_grad():
        for epoch in range(epochs + 1):
            start = time.perf_counter()
            order = torch.randperm(ROWS)
            for first in range(0, ROWS, batch):
                seen = data[order[first:first + batch]]
                given_data = torch.addmm(hidden_bias, seen, weight).sigmoid_()
                hidden = torch.bernoulli(given_data) if kind == "cd" else chain
                dreamt = torch.bernoulli(torch.addmm(visible_bias, hidden, weight.t()).sigmoid_())
                given_dream = torch.addmm(hidden_bias, dreamt, weight).sigmoid_()
                if kind == "pcd":
                    chain = torch.bernoulli(given_dream)
                weight.addmm_(seen.t(), given_data, alpha=step).addmm_(dreamt.t(), given_dream, alpha=-step)
                visible_bias.add_((seen - dreamt).sum(0), alpha=step)
                hidden_bias.add_((given_data - given_dream).sum(0), alpha=step)
            if epoch > 0:
                print(f"{time.perf_counter() - start:.4f}", flush=True)


main()
