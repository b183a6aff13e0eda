#!/bin/sh
# Installs the Debian packages this project needs: scripts/install_packages.sh [group]...
# Groups: build (the default), test, check, bench; or all. Only what is missing is installed.
set -eu

# The one list. What a program needs at run time comes with what it is built from.
build="g++ cmake ninja-build libboost-dev libboost-random-dev libtbb-dev libxtensor-dev libxtensor-blas-dev
  libopenblas-pthread-dev libfmt-dev libtomlplusplus-dev libcli11-dev libhdf5-dev zlib1g-dev libzip-dev
  libpng-dev libssl-dev libnlopt-dev libcpp-httplib-dev pkg-config gnuplot-nox"
test="doctest-dev nlohmann-json3-dev eatmydata binutils clang-format python3 python3-numpy
  qemu-user libopenmpi-dev openmpi-bin slurm-wlm munge"
check="clang clang-tidy llvm libclang-rt-14-dev ccache strace python3-h5py chromium"
bench="libbenchmark-dev python3-torch python3-sklearn"

[ $# -gt 0 ] || set -- build
wanted=
for group in "$@"; do
  case "$group" in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $test" ;;
    check) wanted="$wanted $check" ;;
    bench) wanted="$wanted $bench" ;;
    all) wanted="$wanted $build $test $check $bench" ;;
    *) echo "There is no group '$group'. Known: build, test, check, bench, all." >&2; exit 2 ;;
  esac
done

command -v dpkg-query > /dev/null || {
  echo "This is not Debian or one of its children. By their Debian names, what is needed is:" >&2
  echo $wanted >&2
  exit 1
}

missing=
for package in $wanted; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) || status=absent
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo > /dev/null || {
    echo "These packages are missing, and only root may install them:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 1
  }
  as_root="sudo"
fi

echo "Installing$missing"
# Some other archive of the machine's may be out of reach, and ours still be there: the next command tells.
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q || echo "apt-get update failed; going on without." >&2
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
