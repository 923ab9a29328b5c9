#!/bin/sh
# sum.sh FILE...: the sum of each, and of all.
set -eu
awk '{ all += $1; each[FILENAME] += $1 }
END { for (file in each) print file, each[file]; print "all", all }' "$@" | sort > out/diamond/sum.txt
