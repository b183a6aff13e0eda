#!/bin/bash
# Of more tests than an expression of ctest can name, the long ones are left out, and they alone: control.sh SCRIPT WORK_FOLDER
set -eu
script=$1
work=$2
rm -rf "$work"
mkdir -p "$work/build/release" "$work/tests"
cd "$work"
{
  echo '<testsuite>'
  for ((i = 1; i <= 3000; ++i)); do
    name="exact/a test with a name of some length, as ours have, and number $i"
    echo "add_test(\"$name\" true)" >> tests/CTestTestfile.cmake
    [ $((i % 3)) -gt 0 ] || echo "set_tests_properties(\"$name\" PROPERTIES LABELS third)" >> tests/CTestTestfile.cmake
    echo "<testcase name=\"$name\" time=\"$((i % 2)).7\"/>"
  done
  echo '</testsuite>'
} > build/release/tests.xml

expect() {  # expect <how many> <one of them> <one that is not> <argument>...
  local many=$1 one=$2 other=$3
  shift 3
  "$script" tests "$@" -N > found
  grep -q "^Total Tests: $many\$" found && grep -q "number $one\$" found && ! grep -q "number $other\$" found ||
    { echo "FAILED: $* of $many"; tail -3 found; exit 1; }
}
expect 1500 2 3 upto 1
expect 1500 3 2 above 1
expect 500 6 3 upto 1 -L third
"$script" tests above 2 -N | grep -q "^Total Tests: 0$" || { echo "FAILED: none is that long"; exit 1; }
! "$script" tests above 2 > found 2>&1 || { echo "FAILED: no test at all is a failure"; exit 1; }
rm build/release/tests.xml
expect 1000 6 2 above 1 -L third
echo "the long ones are left out, and they alone"
