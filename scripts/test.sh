#!/bin/sh
# Builds the release with its tests and runs them. Arguments go to ctest: scripts/test.sh -L exact
# The last lines are ctest's summary, and the exit status is ctest's.
set -eu
cd "$(dirname "$0")/.."
scripts/install_packages.sh build test
cmake --preset release -DHARMONIUM_TESTS=ON -DHARMONIUM_DEVELOPER=ON
cmake --build --preset release
# What each test took, for scripts/check.sh: it leaves out long ones.
[ $# -gt 0 ] || set -- --output-junit "$PWD/build/release/tests.xml"
# Thousands of small files are written, and the program waits for the disk after each. No test looks at what is left after a power
# cut, so here nothing waits.
exec eatmydata ctest --test-dir build/release --output-on-failure --no-tests=error -j 2 "$@"
