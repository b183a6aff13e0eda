#!/bin/sh
# What scripts/new_component.py refuses: refusals.sh WORK. Names that would not compile or that are taken end in one line,
# with nothing written; the names beside them are written.
set -eu
script=$(cd "$(dirname "$0")/../.." && pwd)/scripts/new_component.py
work=$1
rm -rf "$work"
mkdir -p "$work"
cd "$work"

refused() { # WORDS KIND NAME
  if "$script" "$2" "$3" --plugin plugin > log 2>&1 || [ "$(wc -l < log)" -ne 1 ] || ! grep -q -e "$1" log; then
    echo "$2 $3: expected '$1' in one line, and was told:" >&2
    cat log >&2
    exit 1
  fi
  if [ -e plugin ]; then
    echo "$2 $3 was refused, and a folder written" >&2
    exit 1
  fi
}
written() { # KIND NAME
  "$script" "$1" "$2" --plugin plugin > log 2>&1 || { cat log >&2; exit 1; }
  rm -r plugin
}

refused "its class would be called Sampler, which" sampler sampler
refused "its class would be called Options, which" optimizer options
refused "its class would be called Layout, " model layout
refused "its class would be called Executor, as the one in .*/framework/execution/executor.hpp" data executor
for target in test all install help clean package; do
  refused "CMake keeps the target '$target' to itself" schedule $target
done
refused "'gibbs' is the name of another sampler\." sampler gibbs
refused "'cd' is the name of another estimator\." estimator cd
refused "'spin' is the name of another unit\." unit spin
refused "'[a-z_0-9]*' is the name of another data\." data one_d_ball
refused "'exact' is the name of another log_partition\." log_partition exact
refused "cannot be the name of a component" sampler Gibbs
written sampler samplers
written optimizer gibbs
written schedule tests

# In the tree all classes share a namespace.
if "$script" optimizer gibbs > log 2>&1 || ! grep -q "called Gibbs, as the one in .*/samplers/gibbs.hpp" log; then
  echo "optimizer gibbs: expected a refusal, and was told:" >&2
  cat log >&2
  exit 1
fi

touch file
for folder in file/x /proc/x/y; do
  if "$script" sampler mine --plugin $folder > log 2>&1 || [ "$(wc -l < log)" -ne 1 ] ||
    ! grep -q "$(dirname $folder).*Take another folder" log; then
    echo "--plugin $folder: expected an error, and was told:" >&2
    cat log >&2
    exit 1
  fi
done
