#!/bin/sh
# replay.sh SECONDS [in:PATH | out:BYTES:PATH]...
# Stands for a task of a WfFormat instance: reads what it read, takes a share of its time, makes files of a share of their
# sizes. A file appears whole or not at all.
set -eu
seconds=$1
shift
for word; do
  case $word in
    in:*) cat <"${word#in:}" >/dev/null ;;
  esac
done
sleep "$seconds"
for word; do
  case $word in
    out:*)
      rest=${word#out:}
      bytes=${rest%%:*}
      path=${rest#*:}
      mkdir -p "$(dirname "$path")"
      part=$path.part$$
      whole=$((bytes / 65536))
      {
        { [ "$whole" -eq 0 ] || dd if=/dev/zero bs=65536 count="$whole"; } &&
          { [ $((bytes % 65536)) -eq 0 ] || dd if=/dev/zero bs=$((bytes % 65536)) count=1; }
      } >"$part" 2>/dev/null || {
        rm -f "$part"
        echo "replay: $path cannot be written" >&2
        exit 1
      }
      mv "$part" "$path"
      ;;
  esac
done
