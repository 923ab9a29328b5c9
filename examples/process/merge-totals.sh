#!/bin/sh
# Joins the totals of several jobs into one line per station: station,hours,mean,highest
set -eu
while IFS= read -r file; do
  cat "$file"
done < "$WMS2_INPUT_LIST" | awk -F, '
  { hours[$1] += $2; sum[$1] += $3; if (!($1 in high) || $4 > high[$1]) high[$1] = $4 }
  END { for (name in hours) printf "%s,%d,%.2f,%.1f\n", name, hours[name], sum[name] / hours[name], high[name] }' |
  sort > "$WMS2_OUTPUT"
