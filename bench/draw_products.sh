#!/bin/sh
# Draws docs/images/products.svg from what bench_product_sweep printed: draw_products.sh products.csv [FILE.svg]; takes gnuplot.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
csv=$1 file=${2:-$root/docs/images/products.svg}
gnuplot << END
set terminal svg size 760,300 font 'sans-serif,12' background rgb 'white'
set output '$file'
set datafile separator ','
set logscale xy
set multiplot layout 1,3
set xrange [80:6500]
set yrange [0.5:32]
set xtics (100, 200, 500, 1000, 2000, 5000) rotate by -45
set ytics (0.5, 1, 2, 4, 8, 16, 32)
set grid ytics lc rgb '#dddddd'
set xlabel 'n, of n x n couplings'
set ylabel 'times as fast as sgemm'
set key top left samplen 1 spacing 0.9
do for [chains in "16 128 512"] {
  set title chains . ' chains' font 'sans-serif,12'
  plot for [ones in "0.02 0.05 0.13 0.3 0.5"] \
    '< grep ^fields,[0-9]*,' . chains . ',' . ones . ', $csv' using 2:7 \
    with linespoints pt 7 ps 0.4 lw 1.5 title (chains eq "16" ? sprintf('%g %% ones', 100 * (ones + 0)) : '')
  unset ylabel
}
END
