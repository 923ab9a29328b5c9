#!/bin/sh
# Keeps the readings that are valid and at least 20 degrees: station,minute,millidegrees,valid → warm.csv
set -eu
read_count=0
: > warm.csv
while IFS= read -r file; do
  awk -F, '$4 == 1 && $3 >= 20000 { print $1 "," $3 }' "$file" >> warm.csv
  read_count=$((read_count + $(wc -l < "$file")))
done < "$WMS2_INPUT_LIST"
echo "events_read=$read_count" >> "$WMS2_STEP_REPORT"
