#!/bin/sh
# Adds up the totals of several jobs: one line per station.
set -eu
while IFS= read -r file; do
  cat "$file"
done < "$WMS2_INPUT_LIST" | awk -F, '
  { count[$1] += $2; sum[$1] += $3 }
  END { for (name in count) printf "%s,%d,%.0f\n", name, count[name], sum[name] }' | sort > "$WMS2_OUTPUT"
