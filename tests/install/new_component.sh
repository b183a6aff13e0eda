#!/bin/sh
# Components from scripts/new_component.py work as they are: new_component.sh SCRATCH, where run.sh has installed. As
# plugins, one of every kind is built against the installed package and passes its check in both precisions (a study is
# made, in double); as parts of
# the tree, they are written into a copy of the few files that change, are built, and pass their tests, each of which
# sees a planted fault.
set -eu
prefix=$1/prefix scratch=$1/components
here=$(cd "$(dirname "$0")" && pwd)
source=$here/../..
kinds="model term unit initializer sampler positive_phase negative_phase estimator log_partition"
kinds="$kinds optimizer schedule regularizer observer data study"
tree=$scratch/tree/harmonium
rm -rf "$scratch"
mkdir -p "$scratch/plugins" "$tree/broken" "$tree/scripts"

# One fault in each, as a command of sed.
fault_of() {
  case $1 in
    model) echo 's/b() + j()/b() - j()/' ;;
    term) echo 's/sum -= 0\.5 \* weights/sum -= 0.55 * weights/' ;;
    unit) echo 's/values.end(), 0.0/values.end(), 1.0/' ;;
    initializer) echo 's/0x80000000u/0xffffffffu/' ;;
    sampler) echo 's/(before\[r\] - after\[r\])/(after[r] - before[r])/' ;;
    positive_phase) echo 's/ \/ static_cast<double>(options_.num_draws)//' ;;
    negative_phase) echo 's/ >= options_\.restart/ < options_.restart/' ;;
    estimator) echo 's/w = -w;/w = -0.5 * w;/' ;;
    log_partition) echo 's/w \*= -beta/w *= beta/' ;;
    optimizer) echo 's/theta\[i\] -= /theta[i] += /' ;;
    schedule) echo 's/1\.0 + progress/progress/' ;;
    regularizer) echo 's/2\.0 \* w/w/' ;;
    data) echo 's/% 2 != 0/% 2 == 0/' ;;
    study) echo 's/sum += log_z/sum -= log_z/' ;;
    observer) echo 's/!= 0) return/== 0) return/' ;;
  esac
}

run() { "$@" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }; }
must_fail() { # WHAT COMMAND...
  what=$1
  shift
  if "$@" > "$scratch/log" 2>&1; then
    echo "$what" >&2
    exit 1
  fi
}

for registered in $("$prefix/bin/harmonium" list | grep '^[a-z_]*$'); do
  case " $kinds " in
    *" $registered "* | *"_$registered "*) ;;
    *) echo "no component of the kind '$registered' is written" >&2; exit 1 ;;
  esac
done

files="models/enroll.cpp samplers/enroll.cpp estimators/enroll.cpp studies/enroll.cpp"
files="$files plugins/builtin/enroll.cpp CHANGELOG.md"
files="$files docs/boltzmann_machines.md docs/units.md docs/samplers.md docs/estimators.md docs/training.md docs/data.md"
for file in $files; do
  mkdir -p "$(dirname "$tree/$file")"
  cp "$source/$file" "$tree/$file"
done
cp -r "$source/scripts/new_component.py" "$source/scripts/components" "$tree/scripts"
for kind in $kinds; do
  run "$prefix/share/harmonium/new_component.py" $kind my_$kind --plugin "$scratch/plugins/my_$kind"
  run "$tree/scripts/new_component.py" $kind my_$kind
  grep -q "my_$kind" "$tree/CHANGELOG.md"
  cat "$tree"/docs/*.md | grep -q "^## \`my_$kind\`"
  sound=$(find "$tree" -name my_$kind.cpp)
  sed "$(fault_of $kind)" "$sound" > "$tree/broken/$kind.cpp"
  must_fail "my_$kind has no place for its fault" cmp "$sound" "$tree/broken/$kind.cpp"
  must_fail "my_$kind was overwritten" "$tree/scripts/new_component.py" $kind my_$kind
done

run "$CMAKE_COMMAND" -G Ninja -S "$here/components" -B "$scratch/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
  -DCMAKE_PREFIX_PATH="$prefix" ${LAUNCHER:+-DCMAKE_CXX_COMPILER_LAUNCHER="$LAUNCHER"} \
  -DKINDS="$(echo $kinds | tr ' ' ';')" -DPLUGINS="$scratch/plugins" -DTREE="$tree"
targets="tests enrolment"
for kind in $kinds; do targets="$targets my_$kind my_${kind}_f32 broken_$kind"; done
run "$CMAKE_COMMAND" --build "$scratch/build" -j 2 --target $targets

run "$scratch/build/tests"
for kind in $kinds; do
  if [ $kind = study ]; then
    run "$prefix/bin/harmonium" study my_study "$scratch/plugins/my_study/my_study.toml" --output "$scratch/my_study" \
      --plugin "$scratch/build/my_study/my_study.so"
    grep -q "^mean log Z: " "$scratch/log"
    test -s "$scratch/my_study/my_study.csv"
  else for precision in float64 float32; do
    run "$prefix/bin/harmonium" check "$scratch/plugins/my_$kind/my_$kind.toml" --set precision=$precision \
      --plugin "$scratch/build/my_$kind/my_$kind.so"
  done; fi
  must_fail "the test of my_$kind does not see a fault" "$scratch/build/broken_$kind"
done
