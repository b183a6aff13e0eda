#!/bin/sh
# What harmonium_installable builds is all that `cmake --install` wants: installable.sh BUILD [TARGET]
# Every file of the build that an install script names must be made by TARGET.
set -eu
build=$1 target=${2:-harmonium_installable}
made=$(ninja -C "$build" -t inputs "$target"; ninja -C "$build" -t query "$target" | sed 's/^ *//')
wanted=$(find "$build" -path "$build/tests" -prune -o -name cmake_install.cmake -exec grep -h 'file(INSTALL' {} + |
  sed -n 's/.* FILES \(.*\))$/\1/p' | grep -o "\"$build/[^\"]*\"" | tr -d '"' | grep -E '\.so|/bin/' | sort -u)
[ "$(echo "$wanted" | wc -l)" -gt 10 ] || { echo "only these files would be installed: $wanted" >&2; exit 1; }
failed=0
for file in $wanted; do
  echo "$made" | grep -qxF "${file#"$build/"}" || { echo "'$target' does not make $file, which is installed" >&2; failed=1; }
done
exit $failed
