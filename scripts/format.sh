#!/bin/sh
# Formats every C++ file in place; with --check, changes nothing, names the files it would change, and fails if any.
set -eu
cd "$(dirname "$0")/.."
command -v clang-format > /dev/null || {
  echo "clang-format is missing. Try: scripts/install_packages.sh test" >&2
  exit 1
}

each_file() {
  find framework models samplers estimators studies plugins program cli examples bench tests \
    \( -name '*.cpp' -o -name '*.hpp' -o -name '*.inc' \) -print0 2> /dev/null | xargs -0 -r -P 2 "$@"
}

case "${1:-}" in
  "") each_file -n 16 clang-format -i ;;
  --check)
    each_file -n 32 sh -c 'said=$(clang-format --dry-run -Werror "$@" 2>&1) && exit 0
      echo "$said" | sed -n "s/^\([^ :]*\):[0-9]*:[0-9]*: error:.*/not formatted: \1/p" | sort -u
      exit 1' sh || {
      echo "Try: scripts/format.sh" >&2
      exit 1
    }
    ;;
  *) echo "usage: scripts/format.sh [--check]" >&2; exit 2 ;;
esac
