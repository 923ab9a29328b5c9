# storage.sh: files on shared storage. A name there is either absent or whole: data is written under a temporary
# name, read back, compared and renamed.

# sum, size: POSIX checksum and bytes of file $1. False when it cannot be read.
checksum() {
  summed=$(cksum <"$1" 2>"$work.storage.err") || return 1
  split_sum "$summed"
}

# sums: "SUM SIZE" a line of each of the files, by one process; sum, size: the last one's. A name has no line break.
checksums() {
  summed=$(cksum -- "$@" 2>"$work.storage.err") || return 1
  sums=
  IFS=$newline
  for summed in $summed; do
    split_sum "$summed"
    sums=$sums$sum\ $size$newline
  done
  unset IFS
}

# split_sum "SUM SIZE …": of the first line.
split_sum() {
  sum=${1%% *}
  size=${1#* }
  size=${size%%[!0-9]*}
}

# temporary: a name beside $1 which keeps its ending, as merge programs look at that. Attempts differ by cluster.
temporary_for() {
  case $1 in
    */*) temporary=${1%/*}/.wms2-tmp.${cluster:-$$}.${1##*/} ;;
    *) temporary=.wms2-tmp.${cluster:-$$}.$1 ;;
  esac
}

make_directory() { [ -d "$1" ] || mkdir -p -- "$1" 2>"$work.storage.err"; }

# put FILE TARGET [PLACE]: copies, compares, renames (or does PLACE instead); sum and size are the file's. False: see
# storage_words.
put() {
  temporary_for "$2"
  make_directory "${2%/*}" &&
    cp -- "$1" "$temporary" 2>"$work.storage.err" &&
    checksums "$1" "$temporary" &&
    { [ "$sums" = "$sum $size$newline$sum $size$newline" ] || { echo 'the copy differs from the original' >"$work.storage.err"; false; }; } &&
    "${3:-rename_to}" "$temporary" "$2" && return
  keep_storage_words
  rm -f -- "$temporary" 2>/dev/null
  return 1
}

# rename_to FROM TO [-n]. mv would move a file into a directory of that name and call it a success; with -n it leaves what
# is there, and some call that a success too.
rename_to() {
  if [ -d "$2" ]; then
    echo "$2 is a directory" >"$work.storage.err"
    return 1
  fi
  mv "${3:--f}" -- "$1" "$2" 2>"$work.storage.err" || return 1
  [ ! -e "$1" ] || { echo "$2 came into being meanwhile" >"$work.storage.err"; return 1; }
}

# put_line TEXT TARGET: a small file of one line. A full disk shows when it is written.
put_line() {
  temporary_for "$2"
  { printf '%s\n' "$1" >"$temporary"; } 2>"$work.storage.err" &&
    rename_to "$temporary" "$2" && return
  keep_storage_words
  rm -f -- "$temporary" 2>/dev/null
  return 1
}

# storage_words: what the last failed command said.
keep_storage_words() {
  read_first_line "$work.storage.err"
  storage_words=${first_line:-no reason given}
}
