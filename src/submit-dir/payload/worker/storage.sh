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
    copy_to "$1" "$temporary" &&
    checksums "$1" "$temporary" &&
    { [ "$sums" = "$sum $size$newline$sum $size$newline" ] || { echo 'the copy differs from the original' >"$work.storage.err"; false; }; } &&
    "${3:-rename_to}" "$temporary" "$2" && return
  keep_storage_words
  rm -f -- "$temporary" 2>/dev/null
  return 1
}

# stage_words: the site's own way to copy, tabs between its words; empty where the installation names none and cp will do.
learn_stage_out() {
  stage_words= others=
  [ -r "./wms2/facts" ] || return 0
  while IFS= read -r fact; do
    case $fact in
      "stage-out$tab*$tab"*) others=${fact#*"$tab"*"$tab"} ;;
      "stage-out$tab$site$tab"*) stage_words=${fact#*"$tab"*"$tab"} ;;
    esac
  done <"./wms2/facts"
  stage_words=${stage_words:-$others}
}

# copy_to FILE TARGET. What a command of others brought there is compared by adler32 too, where this node can compute it.
copy_to() {
  [ -n "${stage_words+known}" ] || learn_stage_out
  if [ -z "$stage_words" ]; then
    cp -- "$1" "$2" 2>"$work.storage.err"
    return
  fi
  (
    from=$1 to=$2
    set --
    IFS=$tab
    for word in $stage_words; do set -- "$@" "$word"; done
    unset IFS
    exec "$@" "$from" "$to"
  ) >/dev/null 2>"$work.storage.err" </dev/null || return 1
  adlers=$(adler32 "$1" "$2" 2>/dev/null)
  [ "${adlers%%"$newline"*}" = "${adlers##*"$newline"}" ] || {
    echo 'the copy has another adler32 than the original' >"$work.storage.err"
    return 1
  }
}

# adler32 FILE…: eight hexadecimal digits a line, or nothing at all. The cheapest first.
adler32() {
  [ $# -gt 0 ] || return 0
  perl -MCompress::Raw::Zlib -e '
    for (@ARGV) {
      open(my $f, "<:raw", $_) or exit 1;
      my ($a, $b) = (1);
      while (read($f, $b, 1 << 20)) { $a = adler32($b, $a) }
      push @all, sprintf("%08x\n", $a);
    }
    print @all' -- "$@" && return
  python3 -ISc '
import sys, zlib
def adler32(name):
    a = 1
    with open(name, "rb") as f:
        for b in iter(lambda: f.read(1 << 20), b""):
            a = zlib.adler32(b, a)
    return "%08x" % a
print("\n".join([adler32(name) for name in sys.argv[1:]]))' "$@" && return
  for file in "$@"; do
    xrdadler32 "$file" || return
  done | cut -d ' ' -f 1
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
