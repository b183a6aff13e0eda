#!/bin/sh
# Executes a page of the documentation: run_page.sh PAGE
# It goes by what the environment says:
#   DOCS_BIN        folder of the program `harmonium`
#   DOCS_SNIPPETS   folder of the page's compiled C++ blocks, PAGE_1 for the first; see CMakeLists.txt
#   HARMONIUM_DATA  folder of real data files, DOCS_DATA where it is not set; a block that needs one which is absent is
#                   skipped, or, where CI is set, fails. A page of which something was skipped ends with status 77
#
# The fenced blocks of a page run from top to bottom in one scratch folder:
#   ```sh     commands, under `sh -eu`, with `harmonium` on the path
#   ```toml   a configuration, which the program must take: it is built, and trained for one epoch. With the first line
#             "# file: NAME.toml" it is kept under that name for the commands that follow.
#   ```cpp    a whole program, which was compiled with the build and is run here
#   ```text   something to read; compared with what the last block printed where the page asks for it
# Every block says what it is; a block without a language fails.
#
# A comment on a line of its own, directly before a block, tells the test what the reader need not know:
#   <!-- test: skip WHY -->            the block is not run
#   <!-- test: needs FILE... -->       it needs these data files, which the folder then has links to
#   <!-- test: train ARGUMENT... -->   a shortening: what every `harmonium train` of the block is given besides, or the epoch of a
#                                      configuration; evaluate and diagnose: the same of those
#   <!-- test: fails STATUS -->        the block must end with this status
#   <!-- test: is FILE -->             the block must be this file of the tree, to the letter
#   <!-- test: file NAME -->           the block is kept as this file, and not run
#   <!-- test: output TOLERANCE -->    of a text block: its lines are among those of the last block's output, in this
#                                      order. Words must be equal, numbers may differ by this fraction (any: by all);
#                                      paths in the scratch folder are taken from there.
#
# Links to other files of the tree must lead somewhere.
set -eu
: "${HARMONIUM_DATA:=$DOCS_DATA}"
page=$1
name=$(basename "$page" .md)
tools=$(cd "$(dirname "$0")" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/blocks" "$scratch/bin" "$scratch/here"

fail() {
  echo "$page:$line: $1" >&2
  [ ! -s "$scratch/output" ] || sed 's/^/    /' "$scratch/output" >&2
  exit 1
}

# The blocks as files NUMBER.LANGUAGE, each with the number of its first line in NUMBER.line and what is asked of it in
# NUMBER.asked.
awk -v out="$scratch/blocks/" '
  function open(language) {
    number = sprintf("%03d", ++count)
    file = out number "." language
    printf "" > file
    print NR > (out number ".line")
    printf "%s", asked > (out number ".asked")
    close(out number ".line"); close(out number ".asked")
    asked = ""; inside = 1
  }
  inside && /^```[ \t]*$/ { close(file); inside = 0; next }
  inside { print > file; next }
  /^```/ { language = substr($0, 4); sub(/[ \t].*$/, "", language); open(language == "" ? "nothing" : language); next }
  /^<!-- test: .* -->$/ { asked = asked substr($0, 12, length($0) - 15) "\n"; next }
  /^[ \t]*$/ { next }
  { if (asked != "") { print "no block follows the comment above line " NR > "/dev/stderr"; exit 1 } }
  END { if (inside) { print "the last block has no end" > "/dev/stderr"; exit 1 } }
' "$page"

# Links, outside of blocks: [words](path) and [words](path#part).
line=1
awk '/^```/ { inside = !inside; next } !inside' "$page" | grep -o ']([^)#][^)]*)' | sed 's/^](//; s/)$//; s/#.*//' |
  sort -u > "$scratch/links" || true
while read -r link; do
  case "$link" in
    http:* | https:*) ;;
    *) [ -e "$(dirname "$page")/$link" ] || fail "the link to $link leads nowhere" ;;
  esac
done < "$scratch/links"

# `harmonium` on the path is the program, with the shortenings of the block that is running.
cat > "$scratch/bin/harmonium" << PROGRAM
#!/bin/sh
case "\${1:-}" in
  train) set -- "\$@" \$DOCS_TRAIN ;;
  evaluate) set -- "\$@" \$DOCS_EVALUATE ;;
  diagnose) set -- "\$@" \$DOCS_DIAGNOSE ;;
esac
exec "$DOCS_BIN/harmonium" "\$@"
PROGRAM
chmod +x "$scratch/bin/harmonium"
PATH="$scratch/bin:$PATH"
export PATH DOCS_TRAIN= DOCS_EVALUATE= DOCS_DIAGNOSE=

asked_of() { sed -n "s/^$1 *//p" "$scratch/blocks/$number.asked"; }

# Whether every data file that a block needs is there, each linked into the scratch folder.
find_data() {
  for file in $(asked_of needs); do
    found=
    for folder in "$HARMONIUM_DATA" "$HARMONIUM_DATA"/*; do
      if [ -e "$folder/$file" ]; then found=$folder/$file; break; fi
    done
    if [ -z "$found" ]; then
      [ -z "${CI:-}" ] || fail "no data file $file in $HARMONIUM_DATA: set HARMONIUM_DATA"
      skipped=$((skipped + 1))
      echo "$page:$line: skipped: no data file $file in $HARMONIUM_DATA; set HARMONIUM_DATA"
      return 1
    fi
    ln -sf "$found" "$scratch/here/$file"
  done
}

# What the program makes of a configuration: an epoch, or an update where the run is counted in those.
load() {
  unit=num_epochs
  if grep -q 'num_updates *=' "$1"; then unit=num_updates; fi
  DOCS_TRAIN=$(asked_of train) harmonium train "$1" --quiet --set "training.$unit=1" --output "$scratch/loaded" --overwrite
}

ran=0
skipped=0
snippets=0
for block in "$scratch"/blocks/*; do
  case "$block" in *.line | *.asked) continue ;; esac
  number=$(basename "$block" | sed 's/\..*//')
  language=${block##*.}
  line=$(cat "$scratch/blocks/$number.line")
  [ "$language" != cpp ] || snippets=$((snippets + 1))
  while read -r what rest; do
    case "$what" in
      skip | needs | train | evaluate | diagnose | fails | output | is | file) ;;
      *) fail "the test is asked to '$what $rest', which it does not know" ;;
    esac
  done < "$scratch/blocks/$number.asked"
  same=$(asked_of is)
  if [ -n "$same" ]; then
    diff "$tools/../../$same" "$block" > "$scratch/output" || fail "the block is not $same:"
  fi
  ! grep -q '^skip' "$scratch/blocks/$number.asked" || continue
  kept=$(asked_of file)
  if [ -n "$kept" ]; then
    mkdir -p "$(dirname "$scratch/here/$kept")"
    cp "$block" "$scratch/here/$kept"
    continue
  fi
  find_data || continue

  status=0
  cd "$scratch/here"
  case "$language" in
    sh)
      DOCS_TRAIN=$(asked_of train) DOCS_EVALUATE=$(asked_of evaluate) DOCS_DIAGNOSE=$(asked_of diagnose) \
        sh -eu "$block" < /dev/null > "$scratch/output" 2>&1 || status=$?
      ;;
    toml)
      kept=$(sed -n '1s/^# file: *//p' "$block")
      config=${kept:-block_$number.toml}
      cp "$block" "$config"
      load "$config" > "$scratch/output" 2>&1 || status=$?
      ;;
    cpp)
      "$DOCS_SNIPPETS/${name}_$snippets" > "$scratch/output" 2>&1 || status=$?
      ;;
    text)
      tolerance=$(asked_of output)
      [ -n "$tolerance" ] || continue
      sed "s#$scratch/here/##g" "$scratch/output" > "$scratch/printed"
      awk -v tolerance="$tolerance" -f "$tools/compare.awk" "$block" "$scratch/printed" > "$scratch/difference" ||
        { cat "$scratch/difference" >&2; fail "what was printed is something else:"; }
      ;;
    *) fail "a block in '$language': sh, toml, cpp or text expected" ;;
  esac
  wanted=$(asked_of fails)
  [ "$status" -eq "${wanted:-0}" ] || fail "the block ended with status $status, not ${wanted:-0}:"
  ran=$((ran + 1))
done
echo "$page: $ran blocks, $skipped skipped"
[ "$skipped" -eq 0 ] || exit 77
