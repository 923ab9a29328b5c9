#!/bin/sh
# The mean year of one component: a line per month, over all years of its inputs (history files or shorter means).
# Every mean stands for as many years as its last column says.
# Usage: average.sh COMPONENT OUTPUT INPUT…
set -eu
component=$1 output=$2
shift 2
awk -F, -v component="$component" '
  $1 == component {
    month = substr($2, length($2) - 1)
    years = NF > 3 ? $4 : 1
    sum[month] += $3 * years
    count[month] += years
  }
  END {
    for (number = 1; number <= 12; number++) {
      month = sprintf("%02d", number)
      if (month in sum) printf "%s,mean-%s,%.4f,%d\n", component, month, sum[month] / count[month], count[month]
    }
  }' "$@" >"$output"
