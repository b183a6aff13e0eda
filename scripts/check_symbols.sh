#!/bin/sh
# Checks the symbol tables of a build: scripts/check_symbols.sh [build folder, build/release if not given]
#
#   1. Everything of harmonium's is in harmonium::v1, v1_f32 or v1_f64: what stands outside them would silently take
#      whichever precision the linker met first.
#   2. libharmonium_base names only v1; a library in single never names v1_f64, one in double never v1_f32.
#   3. What is compiled once is defined once: no strong symbol of v1 in a library built per precision.
#   4. Kernels compiled for wider instruction sets define no weak symbol, which a linker might keep for everybody.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}

faults=$(mktemp)
trap 'rm -f "$faults"' EXIT

# nm's lines are: [address] type name. The mangled name tells what is declared where: a prefix for tables, guards and
# thunks, then N, then the namespaces. (A demangled function template begins with what it returns.)
check_library() {
  nm -D --defined-only "$1" | awk -v library="${1##*/}" '
    {
      type = $(NF - 1); name = $NF; owner = ""
      sub(/@.*$/, "", name)
      rest = name
      if (sub(/^_Z(GVZ*|GR|T[VTIS]|Th[n0-9]+_|Tv[n0-9]+_[n0-9]+_|Tc[^N]*)?Z*N[KVrRO]*9harmonium/, "", rest)) {
        if (rest ~ /^2v1/) owner = "v1"
        else if (rest ~ /^6v1_f32/) owner = "v1_f32"
        else if (rest ~ /^6v1_f64/) owner = "v1_f64"
        else print library ": outside v1, v1_f32 and v1_f64: " name
      }
      if (library ~ /_base\./) {
        if (name ~ /6v1_f(32|64)/) print library ": names a precision: " name
      } else {
        other = library ~ /_f32\./ ? "6v1_f64" : "6v1_f32"
        if (index(name, other)) print library ": names the other precision: " name
        if (owner == "v1" && type ~ /^[TDBR]$/) print library ": defines what belongs to libharmonium_base: " name
      }
    }'
}

count=0
for library in "$build"/lib/libharmonium_*.so; do
  [ -e "$library" ] || { echo "There are no libraries in $build/lib: build first." >&2; exit 1; }
  check_library "$library" >> "$faults"
  count=$((count + 1))
done

kernels=0
for object in $(find "$build" -name '*v[34]*.o' -path '*kernels*'); do
  nm --defined-only "$object" | awk -v object="${object##*/}" \
    '$(NF - 1) ~ /^[WVu]$/ { print object ": weak symbol: " $NF }' >> "$faults"
  kernels=$((kernels + 1))
done

if [ -s "$faults" ]; then
  c++filt < "$faults" >&2
  exit 1
fi
echo "Symbols: $count libraries and $kernels wide kernels, nothing out of place."
