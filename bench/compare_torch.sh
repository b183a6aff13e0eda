#!/bin/sh
# Seconds an epoch of CD-1 and PCD-1 at 784 x 500, float32, beside a plain PyTorch loop, in one run: the two take turns, so
# that whatever else the machine does falls on both. Prints the median of each and their ratio.
#
#   bench/compare_torch.sh [ROUNDS]      needs python3-torch; the program must have been built (scripts/demo.sh)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
rounds=${1:-3}
program=$root/build/release/bin/harmonium
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python=/usr/bin/python3
"$python" - "$scratch/data.npy" <<'PYTHON'
import sys
import torch
# The same kind of data as the PyTorch loop's: 60,000 rows of 784 bits.
bits = (torch.rand(60000, 784) < 0.2).to(torch.uint8).numpy()
with open(sys.argv[1], "wb") as f:
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (60000, 784), }"
    header += b" " * ((64 - (len(header) + 11) % 64) % 64) + b"\n"
    f.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bits.tobytes())
PYTHON

config() { # kind batch
  cat > "$scratch/$1-$2.toml" <<TOML
precision = "float32"
[data]
type = "npy"
path = "data.npy"
[model]
type = "rbm"
num_visible = 784
num_hidden = 500
[estimator]
type = "$1"
[training]
num_epochs = 3
batch_size = $2
TOML
}

seconds_of_ours() { # kind batch threads: one line an epoch, the first left out
  "$program" train "$scratch/$1-$2.toml" --output "$scratch/run" --overwrite --threads "$3" --quiet
  sed -n '2,$s/.*"seconds":\([0-9.]*\).*/\1/p' "$scratch/run/timing.jsonl"
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

printf '%-6s %6s %10s %10s %12s %8s %10s %8s\n' kind batch 'ours 1t' 'torch 1t' 'ratio' 'ours 2t' 'speed-up' 'GFLOP/s'
for batch in 100 500; do
  for kind in cd pcd; do
    config $kind $batch
    : > "$scratch/ours"; : > "$scratch/theirs"; : > "$scratch/two"
    round=0
    while [ $round -lt "$rounds" ]; do
      taskset -c 0 sh -c 'exec "$@"' sh "$program" train "$scratch/$kind-$batch.toml" --output "$scratch/run" --overwrite \
        --threads 1 --quiet
      sed -n '2,$s/.*"seconds":\([0-9.]*\).*/\1/p' "$scratch/run/timing.jsonl" >> "$scratch/ours"
      OPENBLAS_NUM_THREADS=1 taskset -c 0 "$python" "$root/bench/torch_rbm.py" $kind $batch 2 >> "$scratch/theirs"
      seconds_of_ours $kind $batch 2 >> "$scratch/two"
      round=$((round + 1))
    done
    one=$(median "$scratch/ours"); torch=$(median "$scratch/theirs"); two=$(median "$scratch/two")
    echo "$kind $batch $one $torch $two" | awk '{ printf "%-6s %6d %9.3fs %9.3fs %11.2fx %7.3fs %9.2fx %8.1f\n",
      $1, $2, $3, $4, $4 / $3, $5, $3 / $5, 5 * 2 * 784 * 500 * 60000 / 1e9 / $3 }'
  done
done
