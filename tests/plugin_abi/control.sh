#!/bin/sh
# The test of scripts/check_plugin_abi.py: control.sh WORK. In a copy of the headers, what is no code must pass, and what
# changes a layout must not, until the number is raised and the headers are recorded.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$1
rm -rf "$work"
mkdir -p "$work"
(cd "$source" && find framework -name '*.hpp' -exec cp --parents '{}' "$work" ';' && cp --parents framework/plugin/abi_digest.txt "$work")
cd "$work"

check() { "$source/scripts/check_plugin_abi.py" . "$@" > log 2>&1; }
must_pass() {
  check || { echo "$1 is no change of the interface, and was refused:" >&2; cat log >&2; exit 1; }
}
must_fail() { # WHAT WORDS OPTION...
  what=$1 words=$2
  shift 2
  if check "$@" || ! grep -q -e "$words" log; then
    echo "$what: expected '$words', and was told:" >&2
    cat log >&2
    exit 1
  fi
}
edit() { # FILE COMMAND-OF-SED, which must change it
  cp "$1" before
  sed -i "$2" "$1"
  if cmp -s "$1" before; then
    echo "$1: '$2' changes nothing" >&2
    exit 1
  fi
}

must_pass "nothing"
edit framework/model/moments.hpp 's|^struct Moments|// Another comment, "in quotes", /* with marks.\n/* and one\n   of several lines */\nstruct Moments|'
must_pass "a comment"
edit framework/inference/sampler.hpp 's|^  virtual void state|\n    virtual   void\n        state|'
must_pass "white space"
edit framework/inference/sampler.hpp '/^#include <optional>/d'
must_pass "an include of the standard library"
edit framework/testing/report.hpp 's|std::string subject;|std::string subject, more;|'
edit framework/training/adam.hpp 's|^ private:|  int more = 0;\n private:|'
must_pass "a header that plugin.hpp does not include"

edit framework/core/types.hpp 's|T\* data = nullptr;|T* data = nullptr, *more = nullptr;|'
must_fail "a member more, in a header that others include" "Raise HARMONIUM_PLUGIN_ABI"
must_fail "recorded without being raised" "Raise HARMONIUM_PLUGIN_ABI" --record
cp before framework/core/types.hpp
must_pass "what was put back"

edit framework/inference/sampler.hpp 's|kind = "sampler"|kind = "// sampler"|'
must_fail "another text" "Raise HARMONIUM_PLUGIN_ABI"
number=$(sed -n 's/^#define HARMONIUM_PLUGIN_ABI \([0-9]*\)u/\1/p' framework/plugin/stamp.hpp)
edit framework/plugin/stamp.hpp "s|HARMONIUM_PLUGIN_ABI ${number}u|HARMONIUM_PLUGIN_ABI $((number + 1))u|"
must_fail "raised without being recorded" "Run scripts/check_plugin_abi.py --record"
check --record
must_pass "what was recorded"
edit framework/plugin/stamp.hpp "s|HARMONIUM_PLUGIN_ABI $((number + 1))u|HARMONIUM_PLUGIN_ABI ${number}u|"
must_fail "a number that was lowered" "Raise HARMONIUM_PLUGIN_ABI"
rm -rf "$work"
