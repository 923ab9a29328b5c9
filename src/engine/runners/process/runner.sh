# Starts and supervises the local engine's processes. The engine writes task ids, one per line; every task gets
# a supervisor (a fork of this small shell: several times cheaper than a fork of the engine) and a process in a
# session of its own. Nothing here depends on the engine being alive: how a task ended is in its state file
# before anybody is told. Two files per task, since making files is what costs most here:
#
#   <id>.task    written by the engine: goes to the working directory, redirects, says `started`, execs
#   <id>.state   made with O_EXCL (set -C): whoever offers a task a second time after a crash cannot run it twice.
#                claim PID START-TIME   the supervisor
#                pid PID                the task's process and group; there once it really is about to exec
#                …                      words of this shell: a signal's name, or why the task could not begin
#                exit CODE, two lines of times, and a final "." line
#
# Tasks begin with SIGINT and SIGQUIT ignored, as every background process of a POSIX shell does.
cd "$1" || exit 1
set -C
setsid=$(command -v setsid) || setsid=setsid

started() {
  echo "pid $task_pid" >&3
  exec 3>&-
}

supervise() {
  exec 2>"$1.state"
  read -r line </proc/self/stat || exit 0
  set -- "$1" $line
  echo "claim $2 ${23}" >&2
  (
    read -r task_pid rest </proc/self/stat
    set +C
    exec 3>&2
    . "./$1.task"
  )
  code=$?
  {
    echo "exit $code"
    times
    echo .
  } >&2
  echo "$1"
}

while read -r id; do
  supervise "$id" </dev/null &
done
