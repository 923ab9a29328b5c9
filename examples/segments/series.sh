#!/bin/sh
# A series in time of one component: its lines, from history files or from shorter series.
# Usage: series.sh COMPONENT OUTPUT INPUT…
set -eu
component=$1 output=$2
shift 2
grep -h "^$component," -- "$@" >"$output"
