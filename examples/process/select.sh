#!/bin/sh
# Keeps the hours of 25 degrees or more: station,day,hour,temperature,wind → hot.csv
set -eu
: > hot.csv
read_count=0
while IFS= read -r file; do
  awk -F, '$4 >= 25' "$file" >> hot.csv
  lines=$(wc -l < "$file")
  read_count=$((read_count + lines))
done < "$WMS2_INPUT_LIST"
{
  echo "events_read=$read_count"
  echo "events_written=$(($(wc -l < hot.csv)))"
} >> "$WMS2_STEP_REPORT"
