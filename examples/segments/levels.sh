#!/bin/sh
# How many time levels a file has: a line each.
wc -l <"$1"
