#!/bin/sh
# A climate model in small: each year leaves one history file with a line per component and month.
# Usage: model.sh FIRST_YEAR LAST_YEAR      writes history/YYYY0101.csv, each whole or not at all
set -eu
cd "$(dirname "$0")"
mkdir -p history
year=$1
while [ "$year" -le "$2" ]; do
  file=history/$(printf %04d "$year")0101.csv
  awk -v year="$year" 'BEGIN {
    for (month = 1; month <= 12; month++) {
      season = cos((month - 7) * 0.5236)
      printf "atmos,%04d-%02d,%.3f\n", year, month, 288 + 0.02 * year + 8 * season + sin(year * 12.9898 + month)
      printf "ocean,%04d-%02d,%.3f\n", year, month, 290 + 0.01 * year + 2 * season + 0.3 * sin(year * 7.233 + month)
    }
  }' >"$file.part"
  mv "$file.part" "$file"
  year=$((year + 1))
done
