#!/bin/sh
# train.sh RATE SEED: walks towards 0 from a place that the seed says, and notes where it got.
set -eu
rate=$1 seed=$2
. ./out/sweep/config.txt
awk -v rate="$rate" -v seed="$seed" -v steps="$steps" 'BEGIN {
  at = seed
  for (step = 0; step < steps; step++) at -= rate * at
  printf "%s %s %.6f\n", rate, seed, at
}' > "out/sweep/$rate-$seed.txt"
