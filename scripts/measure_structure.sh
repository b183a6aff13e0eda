#!/bin/sh
# Prints what the structure of the sources goes by: scripts/measure_structure.sh [FOLDER]
#   loops      over an index, where expressions and algorithms could stand: outside kernels, enumeration and tests
#   xtensor    sources that say something in xtensor's words
#   lines      of the framework and of what is built on it
#   files      the longest, outside tests and kernels; no one should pass 300 lines
#   functions  the longest; no one should pass 60 lines
set -eu
cd "${1:-$(dirname "$0")/..}"

sources() {
  git ls-files -co --exclude-standard -- "$@" | grep -E '\.(cpp|hpp|inc)$' | while read -r f; do [ -f "$f" ] && echo "$f"; done
}
ours() { sources framework models samplers estimators | grep -vE '^framework/(kernels|testing)/'; }

index='(std::size_t|Index|int|unsigned|std::u?int(16|32|64)_t|std::ptrdiff_t)'
loop="for \($index [A-Za-z_]+( = [^;]*)?;|for \($index [A-Za-z_]+ = [^;]*, [^;]*;"
counted() { xargs grep -cE "$loop" | grep -v ':0$' | sort -t: -k2 -nr; }

echo "index loops: $(ours | grep -v enumeration | xargs cat | grep -cE "$loop")"
for folder in framework models samplers estimators; do
  echo "  $folder: $(ours | grep -v enumeration | grep "^$folder/" | xargs cat | grep -cE "$loop")"
done
ours | grep -v enumeration | counted | head -8 | sed 's/^/  /'

words='in_place\(|as_xtensor\(|Matrix<|Vector<|xt::'
echo "sources with xtensor's words: $(ours | grep -v '/core/' | xargs grep -lE "$words" | wc -l)"

echo "lines: $(ours | xargs cat | wc -l) of framework, models, samplers, estimators; $(sources cli | xargs cat | wc -l) of cli"

echo "longest files:"
sources framework models samplers estimators cli plugins | grep -v '^framework/kernels/' | xargs wc -l | grep -v ' total$' |
  sort -nr | head -8 | sed 's/^/  /'

echo "longest functions:"
# A function begins at a line without indentation, or with two blanks in a class, that ends in "{", and ends where a "}" stands
# as far in.
sources framework models samplers estimators cli | grep -v '^framework/kernels/' | xargs awk '
  FNR == 1 { begin = 0 }
  !begin && /^(  )?[A-Za-z].*[)a-z] \{$/ && !/^(  )?(namespace|inline namespace|class|struct|enum|union|extern)/ {
    begin = FNR; name = $0; deep = match($0, /[^ ]/) - 1
  }
  begin && match($0, /[^ ]/) - 1 == deep && /^ *\}/ && !/^ *\} (else|while|catch)/ {
    printf "%5d %s:%d\n", FNR - begin + 1, FILENAME, begin; begin = 0
  }' | sort -nr | head -12
