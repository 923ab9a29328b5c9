#!/bin/sh
# Settings that all trainings share.
set -eu
echo 'steps=20' > out/sweep/config.txt
