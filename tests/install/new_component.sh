#!/bin/sh
# Components from scripts/new_component.py work as they are: new_component.sh SCRATCH. As plugins, one of every kind is
# built against the installed package and passes its check; as parts of the tree, what is written into a copy of the few
# files that it changes compiles.
set -eu
scratch=$1/components
source=$(cd "$(dirname "$0")/../.." && pwd)
kinds="sampler optimizer schedule regularizer observer"
rm -rf "$scratch"
mkdir -p "$scratch/outside" "$scratch/tree/harmonium"

{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(components LANGUAGES CXX)'
  for kind in $kinds; do echo "add_subdirectory(my_$kind)"; done
} > "$scratch/outside/CMakeLists.txt"
for kind in $kinds; do
  "$PREFIX/share/harmonium/new_component.py" $kind my_$kind --plugin "$scratch/outside/my_$kind" > /dev/null
done
"$CMAKE_COMMAND" -S "$scratch/outside" -B "$scratch/outside/build" -DCMAKE_BUILD_TYPE=Release > /dev/null
for kind in $kinds; do
  "$CMAKE_COMMAND" --build "$scratch/outside/build" --target my_$kind > "$scratch/log" || { cat "$scratch/log"; exit 1; }
  "$PREFIX/bin/harmonium" check "$scratch/outside/my_$kind/my_$kind.toml" --set precision=float64 \
    --plugin "$scratch/outside/build/my_$kind/my_$kind.so" > "$scratch/log" || { cat "$scratch/log"; exit 1; }
done

tree=$scratch/tree/harmonium
for file in scripts/new_component.py samplers/enroll.cpp plugins/builtin/enroll.cpp CHANGELOG.md docs/samplers.md docs/training.md; do
  mkdir -p "$(dirname "$tree/$file")"
  cp "$source/$file" "$tree/$file"
done
for kind in sampler regularizer; do "$tree/scripts/new_component.py" $kind my_$kind > /dev/null; done
for unit in samplers/my_sampler.cpp tests/unit/samplers/my_sampler_test.cpp samplers/enroll.cpp \
  framework/training/my_regularizer.cpp tests/unit/framework/training/my_regularizer_test.cpp plugins/builtin/enroll.cpp; do
  "$CXX" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I "$scratch/tree" -I "$PREFIX/include" "$tree/$unit"
done
for name in my_sampler my_regularizer; do grep -q "$name" "$tree/CHANGELOG.md"; done
if "$tree/scripts/new_component.py" sampler my_sampler 2> "$scratch/log" > /dev/null; then
  echo "a component that is there already was overwritten" >&2
  exit 1
fi
