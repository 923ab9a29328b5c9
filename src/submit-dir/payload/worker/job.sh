# job.sh: one job of a graph. It runs its own command in the graph's directory, which all workers see, and leaves there
# what it makes; nothing is staged. What it reads and makes is told with size and time, so that a later run knows what
# still holds.

directory= changes= job_name= reads_json= makes_json= makes_products=0

run_job() {
  load_manifest "$node"
  load_job
  enter_directory
  [ "$makes_products" -eq 0 ] || run_products
  look_at_files reads
  reads_json=$files_json
  if [ -e "$work.ran" ]; then
    take_over
  else
    make_parents
    run_step 0 job "./nodes/$node/argv" "./nodes/$node/env"
  fi
  [ "$step_code" -eq 0 ] || finish "$step_code" "$step_words"
  [ "$stopped" -eq 0 ] || finish 143 'stopped by SIGTERM after the job'
  look_at_files makes
  makes_json=$files_json
  [ "$absent" -eq 0 ] || finish 60302 "the job ended well and did not make $first_absent$(and_others)"
  finish 0
}

# The local engine has run the command itself (src/engines/runners/process/direct), and it did not simply end well: all
# that is left is to say how. $work.ran has when it began, in seconds since 1970 and since the machine started.
take_over() {
  step_index=0 step_name=job at=$work.step-0 cgroup_before=0
  IFS=' ' read -r started_at uptime <"$work.ran"
  hundredths=${uptime#*.}
  started_clock=$((${uptime%%.*} * 100 + 1$hundredths - 100))
  step_began=$started_clock
  [ ! -e "$work.stop" ] || stopped=15
  [ -s "$at.peak" ] || echo 0 >"$at.peak"
  end_step
}

# A job is its own unit.
load_job() {
  IFS=$newline
  for line in $flat; do
    case $line in ./directory* | ./changes* | "./nodes/$node$tab"* | "./nodes/$node/name$tab"* | "./nodes/$node/seed$tab"* | "./nodes/$node/products$tab"*) ;; *) continue ;; esac
    split_line "$line"
    case $path in
      ./directory) directory=$value ;;
      ./changes) changes=$value ;;
      */name) job_name=$value ;;
      */seed) seed=$value ;;
      */products) makes_products=1 ;;
      *) node_found=1 ;;
    esac
  done
  unset IFS
  [ "$node_found" -eq 1 ] || finish 50113 "manifest.json has no node $node"
  case $directory in /*) ;; *) finish 50113 'manifest.json names no directory for its jobs' ;; esac
  unit=$node
  json_string "$unit"
  unit_json=$json
}

# Another worker may see it: the code is one whose retry goes elsewhere.
enter_directory() {
  [ -d "$directory" ] || finish 50117 "the directory of the graph is not there on this worker: $directory; jobs need one that every worker sees under the same name"
  [ -x "$directory" ] || finish 50117 "the directory of the graph cannot be entered on this worker: $directory; look at its permissions for $(id -un 2>/dev/null || id -u)"
}

# enter_with COMMAND…: becomes it, in the graph's directory. A program that only travelled with the request is here, not there.
enter_with() {
  case $1 in ./*) [ -e "$directory/$1" ] || [ ! -e "$1" ] || { program=$PWD/${1#./}; shift; set -- "$program" "$@"; } ;; esac
  cd -- "$directory" || exit 126
  exec "$@" </dev/null
}

# full: path $1 from the graph's directory.
full_path() { case $1 in /*) full=$1 ;; *) full=$directory/$1 ;; esac; }

# look_at_files KEY: of the files that the node lists under KEY. files_json: those that are there, with size and time, by one
# stat for all; absent: how many are not, and first_absent the first of them.
look_at_files() {
  absent=0 first_absent= present= files_json=
  while IFS= read -r line; do
    case $line in "./nodes/$node/$1/"*) ;; *) continue ;; esac
    split_line "$line"
    full_path "$value"
    if [ -e "$full" ]; then
      listing=
      case $1 in makes | products/*/makes) [ ! -d "$full" ] || list_folder "$full" ;; esac
      printf '%s\0' "$full" >&3
      printf '%s\n%s\n' "$raw" "$listing" >&4
      present=1
    else
      absent=$((absent + 1)) first_absent=${first_absent:-$value}
    fi
  done <"$work.nodes" 3>"$work.files" 4>"$work.names" || finish 50113 "cannot write in $PWD"
  [ -z "$present" ] || files_json=$(join_stats)
}

# Microseconds: that much a JSON number keeps. Links are followed: what they lead to is what was read.
join_stats() {
  comma= sums=/dev/null paths=/dev/null
  [ "$changes" != contents ] || sum_files
  LC_ALL=C xargs -0 stat -L -c '%s %.6Y' -- <"$work.files" 2>"$work.stat.err" | while IFS=' ' read -r size mtime && IFS= read -r raw <&3 && IFS= read -r listing <&3; do
    next_sum
    files=${listing##*:} listing=${listing%:*}
    [ -z "$listing" ] || sum=${listing#*:}
    printf '%s{"path":%s,"sizeBytes":%s,"mtime":%s%s%s}' "$comma" "$raw" "$size" "$mtime" "${sum:+,\"checksum\":\"cksum:$sum\"}" \
      "${listing:+,\"listing\":\"${listing%:*}\",\"files\":$files}"
    comma=,
  done 3<"$work.names" 4<"$paths" 5<"$sums"
}

# listing: of all that is in folder $1, one number for names, sizes and times, where contents count one for those, and how many files
# are not empty, with colons between them. Empty: there are more than 100000 entries. As the server lists them (src/submit-dir/disk/folder-stamps.ts); links are what they say.
list_folder() {
  listing=
  LC_ALL=C find -H "$1" -mindepth 1 \( -type d -printf 'd %P\0' -o -type l -printf 'l %P//%l\0' -o -printf 'f %P %s %T@\0' \) 2>"$work.stat.err" |
    head -z -n 100001 | LC_ALL=C sort -z >"$work.listing"
  [ "$(tr -dc '\0' <"$work.listing" | wc -c)" -le 100000 ] || return 0
  listing=$(cksum <"$work.listing")
  listing=${listing%% *}: contents=
  [ "$changes" != contents ] || contents=$(cd -- "$1" && LC_ALL=C find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r cksum -- 2>"$work.stat.err" | cksum)
  listing=$listing${contents%% *}:$(($(LC_ALL=C find -H "$1" -type f ! -size 0 -printf x 2>"$work.stat.err" | wc -c)))
}

# What is in the files, by one cksum for all.
sum_files() {
  sums=$work.sums paths=$work.paths summed=
  tr '\0' '\n' <"$work.files" >"$paths"
  LC_ALL=C xargs -0 cksum -- <"$work.files" >"$sums" 2>"$work.stat.err"
}

# sum: of the next file; empty where there is none. cksum keeps the order and leaves some out; of a directory it may say something.
next_sum() {
  sum=
  [ "$changes" = contents ] && IFS= read -r full <&4 || return 0
  [ -n "$summed" ] || IFS= read -r summed <&5 || return 0
  case $summed in *" $size $full") ;; *" $full") summed= && return ;; *) return ;; esac
  [ -d "$full" ] || sum=${summed%% *}
  case $sum in *[!0-9]*) sum= ;; esac
  summed=
}

and_others() { [ "$absent" -eq 1 ] || printf ' and %d more of what it was to make' $((absent - 1)); }

# The directories of what is made need not be there.
make_parents() {
  while IFS= read -r line; do
    case $line in "./nodes/$node/makes/"*) ;; *) continue ;; esac
    split_line "$line"
    full_path "${value%/}"
    make_directory "${full%/*}" || { keep_storage_words; finish 60307 "cannot make the directory of $value: $storage_words"; }
  done <"$work.nodes"
}

# What the job said is kept as it is up to a limit, so that one that never stops talking does not fill the submit host's
# disk: the beginning and the end, with a word on what is missing between them.
stream_limit=1000000
show_streams() {
  show_stream stdout
  show_stream stderr >&2
  [ "$step_code" -eq 0 ] || [ -s job.stderr.log ] || [ ! -s job.stdout.log ] || {
    echo 'wms2: the job wrote nothing to stderr; the end of its stdout:'
    tail -c 4000 job.stdout.log
    echo
  } >&2
}

show_stream() {
  [ -s "job.$1.log" ] || return 0
  bytes=$(wc -c <"job.$1.log")
  if [ "$bytes" -le "$stream_limit" ]; then
    cat "job.$1.log"
    return
  fi
  head -c 100000 "job.$1.log"
  printf '\nwms2: %d bytes of %s are left out here: only the first 100000 and the last 900000 are kept\n' $((bytes - stream_limit)) "$1"
  tail -c 900000 "job.$1.log"
}
