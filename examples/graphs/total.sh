#!/bin/sh
# 1² + 2² + … + 1000² is 333833500.
set -eu
find out/fan-in -name '[0-9]*.txt' -exec cat {} + | awk '{ sum += $1 } END { print sum }' > out/fan-in/total.txt
cat out/fan-in/total.txt
