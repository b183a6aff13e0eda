#!/bin/sh
# Runs the program on older processors, by emulation: emulated.sh PROGRAM SCRATCH. An instruction that such a processor has not ends the
# emulated program with a signal. Skipped (77) where there is no emulator, and a failure for that where CI is set.
set -eu
program=$1 scratch=$2
command -v qemu-x86_64 > /dev/null || {
  echo "There is no qemu-x86_64: scripts/install_packages.sh test"
  [ -n "${CI:-}" ] && exit 1
  exit 77
}
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
# Else the program starts itself once more, and the system runs that without the emulator.
export OPENBLAS_NUM_THREADS=1
unset HARMONIUM_ISA HARMONIUM_PRODUCTS OPENBLAS_CORETYPE

# The emulator must notice: a program of AVX instructions on a processor that has none.
cat > avx.c << 'END'
int main(void) {
  __asm__ volatile("vaddps %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
  return 0;
}
END
cc avx.c -o avx
qemu-x86_64 -cpu max ./avx
ulimit -c 0
if qemu-x86_64 -cpu core2duo ./avx 2> /dev/null; then
  echo "The emulated processor ran an instruction that it does not have: nothing would be found."
  exit 1
fi

# Both precisions, a dense and a sparse layer, products by sums and by BLAS, exact and annealed log Z; all of it small, since an emulator
# takes twenty times as long.
cat > rbm.toml << 'END'
data = { type = "bars_and_stripes", side = 3 }
model = { type = "rbm", num_visible = 9, num_hidden = 37 }
estimator = { type = "pcd" }
training = { num_epochs = 3 }
END
cat > boltzmann.toml << 'END'
precision = "float64"
data = { type = "bars_and_stripes", side = 3 }
model = { type = "boltzmann_machine", num_visible = 9, num_hidden = 5 }
estimator = { type = "cd" }
training = { num_epochs = 2 }
END
printf '3 3\n1 2 0.5\n2 3 -0.25\n1 3 1\n' > edges.txt

emulated() { qemu-x86_64 -cpu "$cpu" "$program" "$@" 2> messages || { cat messages; echo "$cpu: $* failed"; exit 1; }; }
plain="--overwrite --quiet --set pictures.which=[]"

for pair in core2duo:baseline Haswell:v3; do
  cpu=${pair%:*} isa=${pair#*:}
  rm -rf rbm boltzmann
  emulated train rbm.toml --output rbm --quiet
  HARMONIUM_PRODUCTS=gemm emulated train rbm.toml --output rbm $plain
  # By name, the best that it has.
  HARMONIUM_ISA=$isa HARMONIUM_PRODUCTS=sparse_sums emulated train rbm.toml --output rbm $plain
  HARMONIUM_PRODUCTS=integer_tiles emulated train rbm.toml --output rbm $plain
  emulated train boltzmann.toml --output boltzmann $plain
  emulated evaluate boltzmann/model.h5 --quiet > /dev/null
  emulated evaluate rbm/model.h5 --set data.side=3 --log-z ais --set log_z.num_temperatures=10 --set log_z.num_chains=20 \
    --set log_z.draws=exact --quiet > /dev/null
  emulated import edges.txt --output edges.h5
  emulated sample edges.h5 --num-samples 40 --steps 10 --output edges.npy --quiet
done

# What of ours has run on the first runs on this one, which has all of its instructions: BLAS takes other products.
cpu=Nehalem
HARMONIUM_PRODUCTS=gemm emulated train rbm.toml --output rbm $plain

# What the processor cannot run is refused, and not tried.
status=0
HARMONIUM_ISA=v3 qemu-x86_64 -cpu core2duo "$program" train rbm.toml --output other 2> messages || status=$?
[ "$status" -eq 2 ] || { cat messages; echo "HARMONIUM_ISA=v3 on core2duo: status $status, not 2"; exit 1; }
