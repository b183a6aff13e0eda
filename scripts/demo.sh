#!/bin/sh
# From a bare Debian to a trained model: installs what is missing, builds the program, trains a small machine.
set -eu
cd "$(dirname "$0")/.."
scripts/install_packages.sh build

# A folder that is configured already stays as it is; a new one is for what can be installed, without tests.
[ -f build/release/CMakeCache.txt ] || set -- -DHARMONIUM_TESTS=OFF
cmake --preset release "$@"
cmake --build --preset release --target harmonium_program

echo
echo "Training on the 30 images of 4 x 4 bars and stripes; a perfect machine would reach -log 30 = -3.401 nats an image."
build/release/bin/harmonium train examples/demo.toml --output build/demo --overwrite
build/release/bin/harmonium evaluate build/demo/model.h5 --set data.side=4
cat << 'TEXT'

What was learned is in build/demo. Next:

  build/release/bin/harmonium --help             what the program can do
  build/release/bin/harmonium list               every model, sampler and estimator there is
  build/release/bin/harmonium describe gibbs     one of them, with its options
  examples/demo.toml                             the run above: change a line and run it again
  cmake --build --preset release --target harmonium_installable
  cmake --install build/release --prefix ~/.local  the program, its plugins and the library, for good
  scripts/test.sh                                the tests
TEXT
