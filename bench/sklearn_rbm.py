"""scikit-learn's BernoulliRBM (PCD-1, float32 in, as it comes): seconds of each epoch over 60,000 rows.

    python3 bench/sklearn_rbm.py pcd BATCH EPOCHS        an epoch of training
    python3 bench/sklearn_rbm.py gibbs CHAINS STEPS      Gibbs steps of all chains
"""
import sys
import time

import numpy as np
from sklearn.neural_network import BernoulliRBM

ROWS, VISIBLE, HIDDEN, RATE = 60000, 784, 500, 0.01


def main():
    kind, size, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    draw = np.random.default_rng(1)
    data = (draw.random((ROWS if kind == "pcd" else size, VISIBLE), dtype=np.float32) < 0.2).astype(np.float32)
    rbm = BernoulliRBM(n_components=HIDDEN, learning_rate=RATE, batch_size=size, n_iter=1, random_state=1)
    if kind == "pcd":
        for _ in range(repeats):
            start = time.perf_counter()
            rbm.fit(data)
            print(f"{time.perf_counter() - start:.4f}", flush=True)
    else:
        rbm.partial_fit(data[:10])
        start = time.perf_counter()
        for _ in range(repeats):
            data = rbm.gibbs(data)
        print(f"{time.perf_counter() - start:.4f}", flush=True)


main()
