#!/bin/sh
# Per station: how many warm readings, and their sum. Whole numbers, so that the result is exact: warm.csv → totals.csv
set -eu
awk -F, '
  { count[$1]++; sum[$1] += $2 }
  END { for (name in count) printf "%s,%d,%.0f\n", name, count[name], sum[name] }' warm.csv | sort > totals.csv
echo "events_written=$(($(wc -l < warm.csv)))" >> "$WMS2_STEP_REPORT"
