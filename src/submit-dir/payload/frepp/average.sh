#!/bin/sh
# average.sh OUTPUT SOURCE annual|monthly INPUT…: an average over its years, all variables in one file, of history of monthly values or
# of averages over fewer years. monthly: twelve time levels, one a month; annual: one. Months count alike.
# History is a tar with a file *.SOURCE.nc of each year. `wms2 import-frepp` lays this file beside a request: it is yours to change.
# It calls by name: tar, and ncrcat, ncra and nces of NCO.
set -eu
output=$1 source=$2 frequency=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM INT HUP

for tool in ncrcat ncra nces; do
  command -v "$tool" >/dev/null || { echo "$tool is not there: load NCO" >&2; exit 127; }
done
case $1 in
  *.tar) ;;
  # Averages over fewer years, each over as many: level by level.
  *) exec nces -O -h "$@" "$output" ;;
esac
sh "${0%/*}/series.sh" "$work/all.nc" "$source" "$@"
case $frequency in
  annual) exec ncra -O -h "$work/all.nc" "$output" ;;
  monthly) ;;
  *) echo "averages of $frequency values need a program of your own: change $0" >&2; exit 78 ;;
esac
for month in 00 01 02 03 04 05 06 07 08 09 10 11; do
  ncra -O -h -d "time,${month#0},,12" "$work/all.nc" "$work/level.$month.nc"
done
ncrcat -O -h "$work"/level.*.nc "$output"
