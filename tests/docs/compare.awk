# compare.awk EXPECTED ACTUAL: every line of the first file is among the lines of the second, in the same order. Words
# are equal; numbers differ by at most the fraction `tolerance` of the greater one ("any": by anything).
function size(x) { return x < 0 ? -x : x }
function number(word) { return word ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ }

function alike(a, b, n, i, x, y, wa, wb) {
  n = split(a, wa)
  if (split(b, wb) != n) return 0
  for (i = 1; i <= n; ++i) {
    if (!number(wa[i]) || !number(wb[i])) {
      if (wa[i] != wb[i]) return 0
      continue
    }
    if (tolerance == "any") continue
    x = wa[i] + 0
    y = wb[i] + 0
    if (size(x - y) > tolerance * (size(x) > size(y) ? size(x) : size(y))) return 0
  }
  return 1
}

FNR == NR { if ($0 !~ /^[ \t]*$/) expected[++wanted] = $0; next }
found < wanted && alike(expected[found + 1], $0) { ++found }
END {
  if (found == wanted) exit 0
  print "this line of the page is not there, or not in its place: " expected[found + 1]
  exit 1
}
