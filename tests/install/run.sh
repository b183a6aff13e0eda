#!/bin/sh
# Installs a build and uses it from outside: run.sh BUILD SCRATCH
# The examples are copied away from the tree, built against the installed package alone, in both precisions, and run;
# what they print must say that they did their work.
set -eu
build=$1 scratch=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$scratch/prefix" "$scratch/examples"
mkdir -p "$scratch"

"$CMAKE_COMMAND" --install "$build" --prefix "$scratch/prefix" > "$scratch/install.log"
cp -r "$source/examples" "$scratch/examples"
"$CMAKE_COMMAND" -G Ninja -S "$scratch/examples" -B "$scratch/examples/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" ${LAUNCHER:+-DCMAKE_CXX_COMPILER_LAUNCHER="$LAUNCHER"}
"$CMAKE_COMMAND" --build "$scratch/examples/build" -j 2

# Nothing of ours may still point into the tree it was built from.
if grep -rl "$source\|$build" "$scratch/prefix/lib/cmake" "$scratch/prefix/lib/"*/cmake 2> /dev/null; then
  echo "the installed package names the folder it was built in" >&2
  exit 1
fi
"$scratch/prefix/bin/harmonium" --version

# The documentation is there, and every file that its pages point to.
pages=$scratch/prefix/share/doc/harmonium
for file in README.md CHANGELOG.md LICENSE docs/file_format.md docs/images/filters.png; do
  [ -f "$pages/$file" ] || { echo "share/doc/harmonium/$file is not installed" >&2; exit 1; }
done
for file in "$pages"/*.md "$pages"/docs/*.md; do
  for link in $(grep -o '](\(\.\./\)*[A-Za-z0-9_/-]*\.[a-z]*[)#]' "$file" | sed 's/^](//; s/[)#]$//' | sort -u); do
    [ -f "${file%/*}/$link" ] || { echo "${file#"$pages/"} points to $link, which is not installed" >&2; exit 1; }
  done
done

failed=0
# expect NAME FIELD-PATTERN LOW HIGH: the number after the pattern in what the example printed lies between.
expect() {
  found=$(printf '%s\n' "$output" | sed -n "s/.*$2 *\(-\{0,1\}[0-9.][0-9.]*\).*/\1/p" | tail -n 1)
  if ! awk -v x="$found" -v low="$3" -v high="$4" 'BEGIN { exit !(x != "" && x + 0 >= low && x + 0 <= high) }'; then
    echo "$1: '$2' is followed by '$found', expected between $3 and $4" >&2
    failed=1
  fi
}
for suffix in "" _f32; do
  run() { echo "== $1$suffix"; output=$("$scratch/examples/build/$1$suffix"); printf '%s\n' "$output"; }
  run embed_rbm        # the best there is: -3.40
  expect embed_rbm "log likelihood:" -3.7 -3.40
  run load_model
  expect load_model "layer hidden:" 16 16
  run conditional_samples  # of bars 1, of uniform pixels 0.5
  expect conditional_samples "those above:" 0.85 1
  run likelihood
  expect likelihood "log likelihood" -3.7 -3.40
  run npy_data         # one normal law of that variance: -4.2
  expect npy_data "before," -4.15 -3.0
  run training_loop    # half of a unit's variance, 0.25, is what knows nothing
  expect training_loop "reconstruction error" 0.05 0.22
  run custom_observer  # stops within 0.05 of log 9 = 2.197
  expect custom_observer "reached" -2.25 -2.19
  run custom_model
  expect custom_model "bias" -1.1 -0.9
  expect custom_model "coupling" 1.4 1.6
  run xtensor_arrays
  expect xtensor_arrays "the view wrote" 5 5
done
# The tutorial on plugins, from an empty folder to a trained model.
PREFIX=$scratch/prefix CMAKE_PREFIX_PATH=$scratch/prefix CMAKE_GENERATOR=Ninja CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER:-} \
  DOCS_BIN=$scratch/prefix/bin DOCS_SNIPPETS=none DOCS_DATA=${DOCS_DATA:-$source/../shared/data} "$source/tests/docs/run_page.sh" "$source/docs/plugins.md" || tutorial=$?
case ${tutorial:-0} in
  0) ;;
  77) [ "$failed" -ne 0 ] || failed=77 ;;  # for ctest: some of the page was skipped
  *) failed=1 ;;
esac
exit $failed
