#!/bin/sh
# run.sh ROLE NODE: one job of WMS2 on a worker, ROLE being processing, merge, cleanup or job.
#
# scripts/build puts the other .sh files of this folder before this one, and the awk programs as variables (json_awk is
# json.awk): a job brings one file instead of a dozen, and every file costs it milliseconds. The working directory holds
# manifest.json and the payload. An engine may have renamed this file, so nothing depends on its name. It promises that
# report.json exists from the first moment to the last, is never seen half written, and tells the truth: the exit status
# of a job has 8 bits, the report has the whole code and the words. See docs/submit-directory.md.
#
# No string of the manifest is evaluated: values are cut out of lines by patterns and passed on in quotes.
set -uf

role=${1-}
node=${2-}
work=$PWD/.wms2 # what the names of our own files begin with; a directory would cost a process
newline='
'
tab='	'

stopped=0     # becomes 15 when the engine asked us to stop
running=      # the process below which the current step lives
told=         # the step has been told to stop
on_stop() {
  stopped=15
  [ -n "$running" ] || return 0
  signal_tree "$running" TERM && told=1
}
trap on_stop TERM

learn_surroundings
# HTCondor holds a job that does not leave every file its submit file names: empty means "no result yet".
[ "$role" != merge ] || : >merge_output.json
write_report started || exit 1

case $role in
  processing | merge | cleanup | job) ;;
  *) finish 50113 "unknown role: $role" ;;
esac
is_name "$node" || finish 50113 "not the name of a node: $node"

"run_$role"
