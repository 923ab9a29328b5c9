#!/bin/sh
echo pre $1 >> pre.out
