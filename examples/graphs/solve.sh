#!/bin/sh
# solve.sh PART: part 3 finds no licence at first. The handler of code 10 asks for one, and the second try has it.
set -eu
part=$1
if [ "$part" -eq 3 ] && mkdir out/handlers/no-licence 2>/dev/null; then
  echo "licence ran out" >&2
  exit 10
fi
echo "$((part * part))" > "out/handlers/$part.txt"
[ "$part" -ne 3 ] || rmdir out/handlers/no-licence
