# Starts and supervises the local engine's processes. The engine writes task ids, one per line; every task gets
# a supervisor (a fork of this small shell: five times cheaper than a fork of the engine) and a process of its
# own session. Nothing here depends on the engine being alive: how a task ended is in its directory before
# anybody is told.
#
#   <id>/task    written by the engine: goes to the working directory, redirects, says `started`, execs
#   <id>/claim   "pid start-time" of the supervisor. Made with O_EXCL (set -C), so whoever offers a task a second
#                time after a crash cannot run it twice
#   <id>/pid     the task's process and process group; there once it really is about to exec
#   <id>/err     what this shell says: a signal's name, or why the task could not begin
#   <id>/exit    "code" or "scode" when err is not empty, the times of the task, and a final "." line
#
# Tasks begin with SIGINT and SIGQUIT ignored, as every background process of a POSIX shell.
cd "$1" || exit 1
set -C

started() { echo "$task_pid" >"$task_dir/pid"; }

supervise() {
  exec 2>|"$1/err"
  read -r line </proc/self/stat || exit 0
  set -- "$1" $line
  echo "$2 ${23}" >"$1/claim" || exit 0
  (
    read -r task_pid rest </proc/self/stat
    task_dir=$PWD/$1
    set +C
    . "./$1/task"
  )
  code=$?
  [ -s "$1/err" ] && code=s$code
  {
    echo "$code"
    times
    echo .
  } >"$1/exit"
  echo "$1"
}

while read -r id; do
  supervise "$id" </dev/null &
done
