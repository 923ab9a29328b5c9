#!/bin/sh
# Makes data/*.csv: one file per weather station, a line per hour. Always the same numbers.
set -eu
cd "$(dirname "$0")"
mkdir -p data
station=0
for name in alder birch cedar elm fir hazel; do
  station=$((station + 1))
  awk -v name="$name" -v seed="$station" 'BEGIN {
    x = seed * 7919
    for (day = 1; day <= 4; day++) for (hour = 0; hour < 24; hour++) {
      x = (x * 1103 + 12345) % 65536
      noise = x / 65536 * 8 - 4
      temperature = 17 + 9 * sin((hour - 8) * 3.14159 / 12) + noise + seed / 2
      printf "%s,2026-07-%02d,%02d,%.1f,%d\n", name, day, hour, temperature, x % 40
    }
  }' > "data/$name.csv"
done
