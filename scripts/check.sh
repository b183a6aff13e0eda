#!/bin/bash
# The slow checks: scripts/check.sh [stage]..., all of them if none is named.
#
#   tests     runs all tests of the release, with those of the suite "slow", which .ci/run leaves out
#   processor runs the docs and the longer tests of numbers with the kernels of a processor with AVX2, as .ci/run does the short ones,
#             and all of these with those of the oldest
#   tidy      looks at the sources alone: layers, plugin interface, format, each header by itself, then clang-tidy over every
#             source
#   asan      builds with clang, warnings being errors, runs the tests in double precision under the address and undefined
#             behavior sanitizers, but for what only draws for longer, and tells how much of the sources they run
#   tsan      runs the tests of units and plugins, but for what only draws for longer, and all that look at threads under the thread
#             sanitizer
#   attack    tries hostile inputs and damaged files on the program (scripts/attack): that of asan, if it is built; and kills on the
#             release
set -eu
cd "$(dirname "$0")/.."
stages=(tests processor tidy asan tsan attack)

build() {  # build <preset> [target]...
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" ${1:+--target "$@"}
}

run_tests() {  # run_tests <preset> <argument of ctest>..., without waiting for the disk: see scripts/test.sh
  local preset=$1
  shift
  eatmydata ctest --preset "$preset" -j 2 "$@"
}

stage_tests() { scripts/test.sh; }

stage_processor() {
  cmake --preset release -DHARMONIUM_TESTS=ON && cmake --build --preset release || return 1
  if grep -qw avx512f /proc/cpuinfo; then
    OPENBLAS_CORETYPE=Haswell HARMONIUM_ISA=v3 run_tests release -L docs || return 1
    OPENBLAS_CORETYPE=Haswell HARMONIUM_ISA=v3 \
      scripts/tests_by_time.py build/release above 2 -L "exact|reproducible|conformance" || return 1
  fi
  OPENBLAS_CORETYPE=Nehalem HARMONIUM_ISA=baseline run_tests release -L "exact|reproducible|conformance|invariance"
}

stage_tidy() {
  local preset
  cmake -P scripts/check_layers.cmake && scripts/check_plugin_abi.py && scripts/format.sh --check || return 1
  for preset in tidy tidy-unity; do
    cmake --preset "$preset" && cmake --build "build/$preset" --target harmonium_revision || return 1
  done
  cmake --build build/tidy --target harmonium_headers harmonium_headers_f32 || return 1
  scripts/run_tidy.py
}

# In double: what is wrong in memory is so in both precisions. The habits (layers, format, ...) read sources; pages and installed
# programs were run by the release build; and tests that draw for half a second there, invariance and controls with them, draw for a minute
# here, and go nowhere that shorter ones do not: the report of lines that have run would tell.
stage_asan() {
  local folder=$PWD/build/asan-ubsan
  local folders=(unit exact reproducible conformance cli own_plugins)
  build asan-ubsan "${folders[@]/#/test_}" harmonium_installable || return 1
  rm -rf "$folder/profiles"
  LLVM_PROFILE_FILE="$folder/profiles/%4m.profraw" ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 \
    UBSAN_OPTIONS=print_stacktrace=1 \
    scripts/tests_by_time.py "$folder" upto 0.5 -L "$(IFS='|'; echo "${folders[*]}")" -LE "slow|f32" || return 1
  report_coverage "$folder"
}

# report_coverage <build folder>: which lines the tests ran, of each file and of all.
report_coverage() {
  local folder=$1 objects=() object
  llvm-profdata merge -sparse -o "$folder/all.profdata" "$folder"/profiles/*.profraw || return 1
  for object in "$folder"/lib/libharmonium_*.so "$folder"/bin/harmonium; do
    [ -e "$object" ] && objects+=(-object "$object")
  done
  llvm-cov report "${objects[@]:1}" -instr-profile "$folder/all.profdata" \
    -ignore-filename-regex '/usr/|/tests/|/build/' > "$folder/report.txt" || return 1
  cat "$folder/report.txt"
  # llvm-cov's columns are regions, functions, lines, branches: each a number, a number missed, a percentage.
  awk -v file="${folder#"$PWD"/}/report.txt" \
    '/^TOTAL/ { print "Coverage: " $10 " of lines, " $7 " of functions. By file: " file }' "$folder/report.txt"
}

# In one precision: what threads do to each other is the same in both. Every component that is registered runs with several threads in
# the tests of reproducibility, which run whole; of the others those are left out that draw for longer.
stage_tsan() {
  build tsan test_unit test_reproducible test_own_plugins harmonium_installable || return 1
  TSAN_OPTIONS=history_size=7 scripts/tests_by_time.py build/tsan upto 0.5 -L "unit|plugins" -E f32 &&
    TSAN_OPTIONS=history_size=7 run_tests tsan -L reproducible -E f32
}

stage_attack() {
  local preset=dev scratch status=0
  [ -x build/asan-ubsan/bin/harmonium ] && preset=asan-ubsan
  # Kills are a matter of moments, which sanitizers stretch, and of system calls, which leak detection cannot have traced.
  build "$preset" harmonium_program && build release harmonium_program || return 1
  scratch=$(mktemp -d)
  # HDF5 itself loses some bytes of a file that is damaged. What it holds for us it gives back at the end of a program.
  echo "leak:libhdf5" > "$scratch/leaks"
  LSAN_OPTIONS="suppressions=$scratch/leaks:print_suppressions=0" ASAN_OPTIONS=allocator_may_return_null=1 \
    scripts/attack/run.sh "build/$preset/bin/harmonium" "$scratch/values" others || status=1
  scripts/attack/run.sh build/release/bin/harmonium "$scratch/kills" kills || status=1
  rm -rf "$scratch"
  return $status
}

for stage in "$@"; do
  [[ " ${stages[*]} " == *" $stage "* ]] || { echo "There is no stage '$stage'. Known: ${stages[*]}." >&2; exit 2; }
done
[ $# -gt 0 ] || set -- "${stages[@]}"

scripts/install_packages.sh build test check
failed=()
for stage in "$@"; do
  echo "== $stage"
  "stage_$stage" || failed+=("$stage")
done

echo
if [ ${#failed[@]} -gt 0 ]; then
  echo "Failed: ${failed[*]} (of: $*)"
  exit 1
fi
echo "Passed: $*"
