#!/bin/sh
# The best ones first.
set -eu
cat out/sweep/0.*.txt | sort -k3,3g > out/sweep/report.txt
head -n 3 out/sweep/report.txt
