#!/bin/sh
# Draws docs/images/intervals.svg: intervals of log Z against effort, of a machine whose interval closes and of a cold glass whose
# interval is not agreed on until ladders have found what lies low. draw_intervals.sh [FILE]; takes two minutes, gnuplot, python3.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
file=${1:-$root/docs/images/intervals.svg}
case $file in /*) ;; *) file=$PWD/$file ;; esac
export PATH="$root/build/release/bin:$PATH"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# 10 x 10 spins, couplings from a normal law, open sides.
python3 - > glass.txt << 'END'
import random
random.seed(2)
side, edges = 10, []
for i in range(side):
    for j in range(side):
        a = i * side + j + 1
        if j + 1 < side:
            edges.append((a, a + 1, random.gauss(0, 1)))
        if i + 1 < side:
            edges.append((a, a + side, random.gauss(0, 1)))
print(side * side, len(edges))
for edge in edges:
    print("%d %d %.6f" % edge)
END
harmonium import glass.txt --output glass.h5
cat > wide.toml << 'END'
data = { type = "bars_and_stripes", side = 6 }
model = { type = "rbm", num_visible = 36, num_hidden = 40 }
estimator = { type = "pcd" }
optimizer = { learning_rate = 0.1 }
training = { num_epochs = 2000 }
END
harmonium train wide.toml --output wide --quiet

# effort, low, high, agreed
intervals() {
  for effort in 0.125 0.25 0.5 1 2 4; do
    harmonium evaluate "$@" --log-z ais --effort $effort --json --quiet 2> messages |
      python3 -c "import json, sys; d = json.load(sys.stdin); print($effort, *d['log_z_interval'], int(d['agree']))"
  done
}
intervals wide/model.h5 --set data.side=6 > wide.dat
intervals glass.h5 --beta 8 > glass.dat
exact=$(harmonium evaluate glass.h5 --beta 8 --json --quiet | python3 -c "import json, sys; print(json.load(sys.stdin)['log_z'])")

gnuplot << END
set terminal svg size 760,300 font 'sans-serif,12' background rgb 'white'
set output '$file'
set multiplot layout 1,2
set logscale x 2
set xrange [0.09:5.7]
set xtics (0.125, 0.25, 0.5, 1, 2, 4)
set xlabel 'effort'
set ylabel 'log Z, nats'
set bars 1.5
set key off
set title '6 x 6 bars and stripes, 40 hidden units: it closes'
plot 'wide.dat' using 1:(\$2+\$3)/2:2:3 with yerrorbars pointtype 7 pointsize 0.5 linewidth 2 linecolor rgb '#1b6ca8'
set key bottom right
set title 'a glass of 100 spins at beta = 8: not agreed before effort 4'
plot $exact with lines linecolor rgb '#888888' dashtype 2 title 'exact', \
  'glass.dat' using 1:(\$4 == 1 ? (\$2+\$3)/2 : NaN):2:3 with yerrorbars pointtype 7 pointsize 0.5 linewidth 2 linecolor rgb '#1b6ca8' title 'agreed', \
  'glass.dat' using 1:(\$4 == 0 ? (\$2+\$3)/2 : NaN):2:3 with yerrorbars pointtype 6 pointsize 0.5 linewidth 1 linecolor rgb '#c0392b' title 'not agreed'
END
echo "$file"
