#!/bin/sh
# Formats every C++ file in place; with --check, changes nothing and fails if something would be.
set -eu
cd "$(dirname "$0")/.."
command -v clang-format > /dev/null || {
  echo "clang-format is missing. Try: scripts/install_packages.sh test" >&2
  exit 1
}

case "${1:-}" in
  "") arguments="-i" ;;
  --check) arguments="--dry-run -Werror" ;;
  *) echo "usage: scripts/format.sh [--check]" >&2; exit 2 ;;
esac

find framework models samplers estimators plugins cli examples bench tests \
  \( -name '*.cpp' -o -name '*.hpp' -o -name '*.inc' \) -print0 2> /dev/null |
  xargs -0 -r -n 16 -P 2 clang-format $arguments
