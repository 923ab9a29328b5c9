#!/bin/sh
# series.sh OUTPUT SOURCE [-v A,B,…] INPUT…: a time series, of the history of its years, or of shorter series. All variables in one file;
# with -v OUTPUT is a folder, and so are shorter series: a file A.nc of each of these variables.
# History is a tar with a file *.SOURCE.nc of each year. `wms2 import-frepp` lays this file beside a request: it is yours to change.
# It calls by name: tar, and ncrcat of NCO (NCRCAT in the environment names another program).
set -eu
: "${NCRCAT:=ncrcat}"
output=$1 source=$2 variables=
shift 2
[ "${1-}" != -v ] || { variables=$2; shift 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM INT HUP

command -v "$NCRCAT" >/dev/null || { echo "$NCRCAT is not there: load NCO, or set NCRCAT" >&2; exit 127; }
mkdir "$work/parts"
part=0
for input; do
  part=$((part + 1))
  number=$(printf '%06d' "$part")
  case $input in
    *.tar)
      mkdir "$work/$number"
      tar -xf "$input" -C "$work/$number" || { echo "$input cannot be read" >&2; exit 66; }
      set -- "$work/$number"/*."$source".tile*.nc
      [ ! -e "$1" ] || { echo "$source in $input is on the tiles of a cubed sphere: regrid it first (fregrid), then change $0" >&2; exit 78; }
      set -- "$work/$number"/*."$source".nc
      [ -e "$1" ] || { echo "$input has no file of $source" >&2; exit 66; }
      mv "$1" "$work/parts/$number.nc"
      rm -rf "${work:?}/$number"
      ;;
    *) input=${input%/}; ln -s "$(cd "${input%/*}" && pwd)/${input##*/}" "$work/parts/$number.nc" ;;
  esac
done
if [ -z "$variables" ]; then
  "$NCRCAT" -O -h "$work"/parts/*.nc "$output"
  exit
fi
for variable in $(echo "$variables" | tr , ' '); do
  # A shorter series is a folder with a file of each.
  set --
  for part in "$work"/parts/*.nc; do
    [ ! -d "$part" ] || part=$part/$variable.nc
    [ -e "$part" ] || { echo "a shorter series has no $variable" >&2; exit 66; }
    set -- "$@" "$part"
  done
  "$NCRCAT" -O -h -v "$variable" "$@" "$output/$variable.nc"
done
