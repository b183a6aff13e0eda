#!/bin/bash
# Runs every attack of this folder on a program, or those that kill it alone, or all others: scripts/attack/run.sh PROGRAM
# SCRATCH [kills|others]. Each attack_* is called with the two and fails where the program did; the summary is the last
# thing that is printed. SCRATCH is made, and everything that attacks write is in it.
set -eu
which=${3:-all}
[ $# -ge 2 ] && [[ $which =~ ^(all|kills|others)$ ]] ||
  { echo "Usage: scripts/attack/run.sh PROGRAM SCRATCH [kills|others]" >&2; exit 2; }
program=$(realpath "$1")
mkdir -p "$2"
scratch=$(realpath "$2")
[ -x "$program" ] || { echo "$1: there is no program of this name." >&2; exit 2; }
passed=() failed=()
for attack in "$(dirname "$0")"/attack_*; do
  [ -x "$attack" ] || continue
  name=$(basename "$attack")
  [ "$which" = all ] || { [[ $name == *kills ]] && kind=kills || kind=others; [ "$which" = "$kind" ] || continue; }
  echo "-- $name"
  if "$attack" "$program" "$scratch"; then passed+=("$name"); else failed+=("$name"); fi
done
echo
echo "Withstood: ${passed[*]:-none}"
if [ ${#failed[@]} -gt 0 ]; then
  echo "Failed: ${failed[*]}"
  exit 1
fi
