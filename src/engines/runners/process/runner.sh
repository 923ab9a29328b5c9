# Starts and supervises the local engine's processes. The engine writes task ids, one per line; every task gets
# a supervisor (a fork of this small shell: several times cheaper than a fork of the engine) and a process in a
# session of its own. Nothing here depends on the engine being alive: how a task ended is in its state file
# before anybody is told. Two files per task, since making files is what costs most here:
#
#   <id>.task    written by the engine: sh that runs the task and has its exit code; says `started` just before it begins
#   <id>.state   claim PID START-TIME   the supervisor. Of several, the first line counts: whoever offers a task a second
#                                       time after a crash cannot run it twice
#                pid PID                the task's process and group; there once it really is about to exec
#                …                      words of this shell: a signal's name, or why the task could not begin
#                exit CODE, two lines of times, and a final "." line
#
# In a supervisor 3 is the state file and 5 the engine's pipe; a task has neither. On a full disk it waits for room: a
# task without its claim might run twice, one without its end would be taken for lost.
# Tasks begin with SIGINT and SIGQUIT ignored, as every background process of a POSIX shell does.
cd "$1" || exit 1
setsid=$(command -v setsid) || setsid=setsid
. "${0%/*}/direct/direct.sh"

# A line of /proc/self/stat would be shorter to name and ten times longer to read, for dash reads a byte at a time.
started() {
  while read -r key task_pid; do case $key in Tgid:) break ;; esac; done </proc/self/status
  echo "pid $task_pid" >&3
  exec 3>&- 5>&-
}

supervise() {
  id=$1
  exec 3>>"$id.state"
  read -r line </proc/self/stat || exit 0
  set -- $line
  claim="claim $1 ${22}"
  until echo "$claim" >&3; do sleep 1; done
  read -r first <"$id.state"
  [ "$first" = "$claim" ] || exit 0
  exec 2>&3 5>&1
  . "./$id.task"
  code=$?
  exec 2>&-
  until { echo "exit $code" && times && echo .; } >&3; do sleep 1; done
  echo "$id" >&5
}

while read -r id; do
  supervise "$id" </dev/null &
done
