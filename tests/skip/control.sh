#!/bin/sh
# Tests on real files without their data: control.sh TEST_UNIT. Alone they end with ctest's status for what was skipped,
# beside another test with that one's, and under the variable CI they fail.
set -eu
program=$1
HARMONIUM_DATA=/nowhere
export HARMONIUM_DATA
unset CI
with_data="IDX: MNIST is 60000 images of 28 x 28 bytes"
without="CSV: whole numbers from 0 to 255 stay bytes*"

# expect <status> <test cases>
expect() {
  status=0
  "$program" --test-case="$2" > /dev/null 2>&1 || status=$?
  [ "$status" -eq "$1" ] || { echo "'$2' ended with status $status, not $1" >&2; exit 1; }
}
expect 77 "$with_data"
expect 0 "$without"
expect 0 "$with_data,$without"
CI=true
export CI
expect 1 "$with_data"
expect 0 "$without"
