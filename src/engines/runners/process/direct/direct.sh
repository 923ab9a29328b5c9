# direct.sh: a job of a graph without our worker program around it. The functions that its task file calls, one after the
# other, in the supervisor of runner.sh; the file itself holds only words. The engine touches nothing of the person's directory:
# a file server that does not answer holds up the job alone. A job that ended well, made what it was to make and had nothing
# more to say is over; of all others run.sh says how they ended. Beside 3 and 5 (runner.sh), 1 and 4 are the job's two streams.

# direct SCRATCH DIRECTORY RUN NODE OUT ERR: false when the task cannot begin.
direct() {
  scratch=$1 directory=$2 run=$3 node=$4 out=$5 err=$6 state=$PWD/$id.state
  cd "$scratch" && command exec >"$out" 4>"$err"
}

# prepare PARENTS…: the directories of what it makes need not be there. False when the job cannot be run from here.
prepare() {
  [ -d "$directory" ] && [ -x "$directory" ] || return 1
  for parent; do [ -d "$parent" ] || mkdir -p "$parent" 2>/dev/null || return 1; done
  read -r began _ </proc/uptime
}

# wholly: run.sh does everything, and knows how to say what is wrong.
wholly() { (join && exec 2>&4 4>&- && started && exec "$setsid" "$run" job "$node"); }

# join: into the control group of the job, if it has one. The supervisor stays outside.
join() { [ -z "$joins" ] || { echo 0 >"$joins"; } 2>/dev/null || :; }

# stamp FILE PATHS…: size and time of those that are there.
stamp() {
  into=$1
  shift
  for path; do
    shift
    [ ! -e "$path" ] || set -- "$@" "$path"
  done
  [ $# -eq 0 ] || LC_ALL=C stat -L --printf '%s %.6Y %n\0' -- "$@" >"$into" 2>/dev/null
}

# enter PROGRAM: in a process of its own, where the job is to begin. One that only travelled with the request is in the
# scratch directory, not there.
enter() {
  program=$1
  join
  exec 2>&4 4>&-
  started
  cd "$directory" || exit 126
  case $1 in ./*) [ -e "$1" ] || [ ! -e "$scratch/$1" ] || program=$scratch/${1#./} ;; esac
}

# become SETSID COMMAND…: names no variable, for they may be the job's by now. What is not there a shell says better than setsid.
become() {
  case $2 in */*) [ -x "$2" ] ;; *) command -v "$2" >/dev/null ;; esac || { shift; exec "$@"; }
  exec "$@"
}

# conclude SECONDS MAKES…: after the job, which began at that time since 1970.
conclude() {
  status=$? at=$1
  shift
  if is_simple "$@"; then
    stamp .wms2.makes "$@"
    return 0
  fi
  { echo $status; times; } >.wms2.step-0.status
  echo "$at $began" >.wms2.ran
  while read -r line; do
    case $line in claim\ * | pid\ * | '') ;; *) echo "$line" >.wms2.step-0.notice ;; esac
  done <"$state"
  mv -f "$out" job.stdout.log
  mv -f "$err" job.stderr.log
  echo concluded >&3
  (exec >"$out" 2>"$err" 3>&- 4>&- 5>&- && exec "$run" job "$node")
}

is_simple() {
  [ $status -eq 0 ] && [ ! -e .wms2.stop ] && [ ! -s .wms2.step-0.report ] && [ ! -e FrameworkJobReport.xml ] || return 1
  # What is in a folder is for run.sh to tell.
  for path; do [ -e "$path" ] && [ ! -d "$path" ] || return 1; done
}
