# cleanup.sh: removes what the unit's jobs staged out, once the merged files are seen to be there in full.
# Idempotent: the directory is renamed before it is emptied, so an attempt cut short leaves no half-checked one.

run_cleanup() {
  load_manifest
  if [ -d "$unmerged" ]; then
    output=0
    while [ "$output" -lt "$outputs" ]; do
      load_output "$output"
      [ "$out_keep" = false ] || require_merged
      output=$((output + 1))
    done
    remove "$unmerged.gone"
    mv -- "$unmerged" "$unmerged.gone" 2>"$work.storage.err" || cannot_remove "$unmerged"
  fi
  remove "$unmerged.gone"
  finish 0
}

require_merged() {
  merged=0
  [ -r "$unmerged/.merged" ] || finish 70318 "nothing removed: $unmerged holds no record of a merge"
  while read -r name size path; do
    [ "$name" = "$out_name" ] || continue
    merged=$((merged + 1))
    has_size "$path" "$size" || finish 70318 "nothing removed: $path is not there with its $size bytes"
  done <"$unmerged/.merged"
  [ "$merged" -gt 0 ] || finish 70318 "nothing removed: output $out_name was not merged"
}

# By ls and not by reading the file, which may be large and far away.
has_size() {
  [ -f "$1" ] || return 1
  listed=$(LC_ALL=C ls -lnd -- "$1" 2>/dev/null) || return 1
  # Unquoted: the fifth word is the size.
  set -- "$2" $listed
  [ "$1" = "${6-}" ]
}

remove() {
  [ -e "$1" ] || return 0
  rm -rf -- "$1" 2>"$work.storage.err" || cannot_remove "$1"
}

cannot_remove() {
  keep_storage_words
  finish 60307 "cannot remove $1: $storage_words"
}
