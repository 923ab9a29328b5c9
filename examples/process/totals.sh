#!/bin/sh
# Per station: hours, sum of temperatures, highest temperature → totals.csv, to be summed up by merge-totals.sh
set -eu
while IFS= read -r file; do
  cat "$file"
done < "$WMS2_INPUT_LIST" | awk -F, '
  { hours[$1]++; sum[$1] += $4; if (!($1 in high) || $4 > high[$1]) high[$1] = $4 }
  END { for (name in hours) printf "%s,%d,%.1f,%.1f\n", name, hours[name], sum[name], high[name] }' | sort > totals.csv
