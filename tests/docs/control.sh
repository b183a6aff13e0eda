#!/bin/sh
# A test of run_page.sh: a page that is right must pass, and each kind of mistake must be caught, for its reason. It goes
# by the same environment.
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
faults=0

# try <wanted: passes, skipped, or words of the message> <what the page is about>; the page is on standard input.
try() {
  cat > "$scratch/page.md"
  status=0
  "$tools/run_page.sh" "$scratch/page.md" > "$scratch/said" 2>&1 || status=$?
  if [ "$1" = passes ]; then
    [ "$status" -ne 0 ] || return 0
  elif [ "$1" = skipped ]; then
    [ "$status" -ne 77 ] || return 0
  elif [ "$status" -ne 0 ] && grep -qF "$1" "$scratch/said"; then
    return 0
  fi
  echo "$2: '$1' was expected; it ended with status $status and said:" >&2
  sed 's/^/    /' "$scratch/said" >&2
  faults=$((faults + 1))
}

small='
data = { type = "diagonal", size = 3 }
model = { type = "rbm", num_visible = 3, num_hidden = 2 }
training = { batch_size = 4 }'

try passes "a block that is kept as a file, and not run" << PAGE
<!-- test: file folder/words.txt -->
\`\`\`cpp
this is not run
\`\`\`
\`\`\`sh
grep -x "this is not run" folder/words.txt
\`\`\`
PAGE

try passes "a page with everything" << PAGE
[A page](page.md#part), and one that is [elsewhere](https://example.org/).
\`\`\`toml
# file: small.toml$small
estimator = { type = "cd" }
\`\`\`
<!-- test: train --set training.num_epochs=3 -->
<!-- test: evaluate --log-z none -->
<!-- test: diagnose --steps 100 -->
\`\`\`sh
harmonium train small.toml --output run
harmonium evaluate run | grep '^log_z  *-  nats'
harmonium diagnose run | grep -o -m 1 '50 steps'
wc -l < run/metrics.jsonl
\`\`\`
<!-- test: output 0 -->
\`\`\`text
3
\`\`\`
<!-- test: fails 2 -->
\`\`\`sh
harmonium train small.toml --output run
\`\`\`
<!-- test: skip it is for reading -->
\`\`\`sh
false
\`\`\`
\`\`\`sh
test -e run/model.h5
echo "log_z 2.04 nats"
\`\`\`
<!-- test: output 0.05 -->
\`\`\`text
log_z   2.0 nats
\`\`\`
PAGE

try "ended with status 1, not 0" "a command that fails" << 'PAGE'
```sh
false
true
```
PAGE
try "ended with status 0, not 2" "a command that should have failed" << 'PAGE'
<!-- test: fails 2 -->
```sh
harmonium --version
```
PAGE
try "did you mean 'gibbs_steps'" "a configuration that the program refuses" << PAGE
\`\`\`toml$small
estimator = { type = "cd", gibs_steps = 1 }
\`\`\`
PAGE
try "is not there, or not in its place: log_z 3 nats" "a number that is wrong" << 'PAGE'
```sh
echo "log_z 2 nats"
```
<!-- test: output 0.1 -->
```text
log_z 3 nats
```
PAGE
try "is not there, or not in its place: one" "lines in another order" << 'PAGE'
```sh
printf 'one\ntwo\n'
```
<!-- test: output any -->
```text
two
one
```
PAGE
try "sh, toml, cpp or text expected" "a block that does not say what it is" << 'PAGE'
```
harmonium --version
```
PAGE
try "leads nowhere" "a link to a page that is not there" << 'PAGE'
[A page](nothing.md).
PAGE
try "does not know" "a comment with a slip of the pen" << 'PAGE'
<!-- test: skp because -->
```sh
false
```
PAGE
try "is not LICENSE" "a file of the tree that has changed since it was copied" << 'PAGE'
<!-- test: is LICENSE -->
<!-- test: skip it is no program -->
```text
Anybody may do anything.
```
PAGE
try "no block follows" "a comment that belongs to nothing" << 'PAGE'
<!-- test: skip because -->
Words.
PAGE
try "has no end" "a block that is not closed" << 'PAGE'
```sh
true
PAGE

# Data files: skipped where absent, a failure where CI is set.
absent='<!-- test: needs no-such-file.gz -->
```sh
false
```'
unset CI
echo "$absent" | try skipped "a data file that is absent"
printf '%s\n```sh\nfalse\n```\n' "$absent" | try "ended with status 1, not 0" "a block that fails after one that is skipped"
CI=true
export CI
echo "$absent" | try "no data file no-such-file.gz" "a data file that is absent under CI"

[ "$faults" -eq 0 ] || exit 1
