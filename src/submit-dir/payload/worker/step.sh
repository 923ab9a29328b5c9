# step.sh: runs one command and finds out how it really ended.
#
# Three processes: we wait, and stay able to take a SIGTERM; a guard holds the exit status and the CPU time; below
# it runs the command. A shell reports death by signal n as 128+n, which a program may also return. The guard's own
# stderr tells them apart: a shell writes a word there ("Killed") when a signal ended its child, and nobody else
# does. It keeps silent about SIGINT and SIGPIPE, so 130 and 141 always count as signals.

inputs= first_event= last_event= first_lumi= last_lumi= run_lumis= events= seed= merged_as=
stop_patience=10 # seconds between the SIGTERM we pass on and SIGKILL

# run_step INDEX NAME ARGV ENV: ARGV and ENV are paths in the manifest. Sets
#   step_code      the true exit code; 0 is success      step_words     what to tell a person
#   step_read, step_written   events as JSON             step_files     lines "EVENTS LUMIS NAME" from its report
run_step() {
  [ "$stopped" -eq 0 ] || finish 143 "stopped by SIGTERM before step $2"
  step_index=$1 step_name=$2 step_argv=$3 step_env=$4
  at=$work.step-$step_index
  # None is made before it is needed: a file costs a job half a millisecond.
  for left in FrameworkJobReport.xml "$at.status" "$at.peak" "$at.report"; do
    [ ! -e "$left" ] || rm -f "$left"
  done
  read_cgroup_peak
  cgroup_before=$cgroup_mb
  read_clock
  step_began=$centiseconds

  if [ "$instances" -gt 1 ]; then guard_instances 2>"$at.notice" & else guard_step 2>"$at.notice" & fi
  guard=$!
  running=$guard
  trap '' USR1 # inherited by the watcher, which needs a moment to set its own trap
  watch_memory "$guard" "$at.status" "$at.peak" >/dev/null 2>&1 </dev/null &
  watcher=$!
  trap - USR1
  [ "$stopped" -ne 0 ] || wait "$guard"
  if [ ! -e "$at.status" ]; then # the wait was cut short by a signal, or the guard itself was killed
    [ "$stopped" -eq 0 ] || stop_step
    wait "$guard"
  fi
  running=
  kill -s USR1 "$watcher" 2>/dev/null
  wait "$watcher"
  end_step
}

# What the step left: its status, its times, the most memory it was seen to have, and words.
end_step() {
  read -r step_status 2>/dev/null <"$at.status" || step_status=137
  read_clock
  step_wall=$((centiseconds - step_began))
  read_usage
  if [ "$instances" -gt 1 ]; then check_instances; else check_step; fi
  use_cgroup_peak
  add_step_to_report
  if [ "$role" = job ]; then show_streams; elif [ "$step_code" -eq 0 ]; then show_tails; else show_tails >&2; fi
}

# The loops stand here and not in functions of their own because only here can they fill "$@". exec, so that
# a command named like a shell builtin or one of our functions is still looked up as a program.
guard_step() {
  trap : TERM HUP
  (
    export_step_environment
    set --
    IFS=$newline
    for line in $flat; do
      case $line in
        "$step_env/"*)
          split_line "$line"
          name=${path#"$step_env/"}
          case $name in
            '' | [0-9]* | *[!A-Za-z0-9_]*) echo "wms2: not a variable name: $name" >&2; exit 126 ;;
          esac
          export "$name=$value"
          ;;
        "$step_argv/"*)
          split_line "$line"
          set -- "$@" "$value"
          ;;
      esac
    done
    unset IFS
    [ $# -gt 0 ] || { echo 'wms2: the step has no command' >&2; exit 127; }
    [ -z "$directory" ] || enter_with "$@"
    exec "$@"
  ) >"$step_name.stdout.log" 2>"$step_name.stderr.log" </dev/null
  tell_status $?
}

# tell_status STATUS: the last word of a guard, with the times of what it guarded.
tell_status() {
  {
    echo "$1"
    times
  } >"$at.status"
}

# The job's view of itself. What does not apply must not shine through from the engine's environment either.
export_step_environment() {
  unset WMS2_INPUTS WMS2_INPUT_LIST WMS2_OUTPUT WMS2_INSTANCES
  export WMS2_REQUEST="$request" WMS2_UNIT="$unit" WMS2_NODE="$node" WMS2_ROUND="$round" WMS2_ROLE="$role"
  export WMS2_STEP="$step_name" WMS2_STEP_INDEX="$step_index" WMS2_STEP_REPORT="$at.report"
  export WMS2_MANIFEST="$PWD/manifest.json"
  export_if_any WMS2_JOB "$job_name"
  export_if_any WMS2_SITE "$site"
  export_if_any WMS2_CLUSTER "$cluster"
  export_if_any WMS2_CORES "$cores"
  export_if_any WMS2_MEMORY_MB "$memory_mb"
  export_if_any WMS2_FIRST_EVENT "$first_event"
  export_if_any WMS2_LAST_EVENT "$last_event"
  export_if_any WMS2_EVENTS "$events"
  export_if_any WMS2_FIRST_LUMI "$first_lumi"
  export_if_any WMS2_LAST_LUMI "$last_lumi"
  export_if_any WMS2_RUN_LUMIS "$run_lumis"
  export_if_any WMS2_SEED "$seed"
  export_if_any WMS2_OUTPUT "$merged_as"
  export_if_any WMS2_THREADS "$threads"
  export_if_any WMS2_BEFORE_DIRS "$before_dirs"
  export_if_any WMS2_INSTANCE "$instance"
  [ -z "$instance" ] || export WMS2_INSTANCES="$instances"
  [ -n "$inputs" ] || return
  export WMS2_INPUT_LIST="$work.inputs"
  # Linux refuses to start any program when one variable exceeds 128 kB; the list file has no such limit.
  [ ${#inputs} -gt 100000 ] || export WMS2_INPUTS="${inputs%"$newline"}"
}

export_if_any() { if [ -n "$2" ]; then export "$1=$2"; else unset "$1"; fi; }

# The signal may have come before the guard had a child to pass it to, or to a child that had yet to become the
# step and lost it. So a step that had only just begun is told again; one at work hears it once.
stop_step() {
  read_clock
  fresh=$((centiseconds - step_began < 200))
  tries=0
  while [ ! -e "$at.status" ] && [ "$tries" -lt $((stop_patience * 10)) ]; do
    [ -n "$told" ] || on_stop
    [ "$fresh" -eq 0 ] || [ $((tries % 10)) -ne 9 ] || on_stop
    sleep 0.1 || sleep 1
    tries=$((tries + 1))
  done
  [ -e "$at.status" ] || signal_tree "$guard" KILL
}

# step_cpu in centiseconds: the second line of `times`, behind the status, is user and system time of the children,
# "1m2.345s 0m0.10s".
read_usage() {
  step_cpu=0
  if { read -r _ && read -r _ && read -r user system; } 2>/dev/null <"$at.status"; then
    add_cpu "$user"
    add_cpu "$system"
  fi
  step_peak=null
  peak_kb=
  read -r peak_kb 2>/dev/null <"$at.peak"
  # A step that was over before the first look still had some memory; without /proc nothing is known.
  if is_number "$peak_kb" && [ -d /proc/self ]; then step_peak=$(((peak_kb + 1023) / 1024)); fi
  [ "$step_peak" != 0 ] || step_peak=1
  step_source=process-tree step_threads=${threads:-${cores:-1}} step_start=null
}

# A cgroup also sees files in memory, and is what an OOM killer goes by. It counts where it grew in this step and stayed
# below what the job may have: at that limit, it may be full of cached files and nothing else.
use_cgroup_peak() {
  read_cgroup_peak
  [ "$cgroup_mb" -gt "$cgroup_before" ] || return 0
  [ -n "$memory_mb" ] && [ $((cgroup_mb * 10)) -lt $((memory_mb * 9)) ] || return 0
  [ "$step_peak" = null ] || [ "$cgroup_mb" -ge "$step_peak" ] || return 0
  step_peak=$cgroup_mb step_source=cgroup
}

add_cpu() {
  hundredths=${1#*[.,]}00
  hundredths=${hundredths%"${hundredths#??}"}
  whole=${1#*m}
  whole=${whole%%[.,]*}
  case ${1%%m*}$whole$hundredths in
    *[!0-9]*) ;;
    *) step_cpu=$((step_cpu + ${1%%m*} * 6000 + whole * 100 + 1$hundredths - 100)) ;;
  esac
}

check_step() {
  step_code=$step_status step_signal=null step_words= step_read=null step_written=null step_files= report_promised=
  if [ "$step_status" -gt 128 ]; then
    case $step_status in 130 | 141) step_signal=$((step_status - 128)) ;; esac
    if [ -s "$at.notice" ] || [ ! -e "$at.status" ]; then step_signal=$((step_status - 128)); fi
  elif [ -s "$at.notice" ]; then
    cat "$at.notice" >>"$step_name.stderr.log" # its log files could not be opened
  fi
  hint=
  if [ -s "$at.report" ]; then read_step_report; fi
  if [ -e FrameworkJobReport.xml ]; then
    read_framework_report
  elif [ -n "$report_promised" ] && [ "$step_code" -eq 0 ]; then
    step_code=50115 hint='it left no FrameworkJobReport.xml'
  fi
  [ "$step_code" -ne 0 ] || return
  if [ "$stopped" -ne 0 ]; then
    step_words="stopped by SIGTERM in step $step_name"
  elif [ "$step_signal" != null ]; then
    step_words="killed by signal $step_signal in step $step_name"
    [ "$step_code" -eq "$step_status" ] || step_words="exit $step_code in step $step_name, $step_words"
  else
    step_words="exit $step_code in step $step_name"
  fi
  case $step_code in
    126 | 127)
      read_first_line "$step_name.stderr.log"
      hint=${hint:-$first_line}
      ;;
  esac
  step_words=$step_words${hint:+: $hint}
}

# Lines key=number; the last of a key counts. A step that says it failed has failed, whatever it returned.
read_step_report() {
  said=$(LC_ALL=C awk -F= '
    /^(events_read|events_written|exit_code|framework_report)=[0-9]+[ \r]*$/ && length($2) < 16 { last[$1] = $2 + 0 }
    END { for (key in last) printf "%s=%.0f\n", key, last[key] }' "$at.report")
  IFS=$newline
  for line in $said; do
    case $line in
      events_read=*) step_read=${line#*=} ;;
      events_written=*) step_written=${line#*=} ;;
      framework_report=*) report_promised=1 ;;
      exit_code=0) ;;
      exit_code=*) step_code=${line#*=} ;;
    esac
  done
  unset IFS
  [ "$step_code" -le 999999999 ] || step_code=50115
}

read_framework_report() {
  framework_json=true
  mv -f FrameworkJobReport.xml "$step_name.fjr.xml"
  said=$(LC_ALL=C awk "$fjr_awk" "$step_name.fjr.xml")
  fjr_closed= fjr_code= fjr_opened=0 fjr_skipped=0
  IFS=$newline
  for line in $said; do
    case $line in
      'closed 1') fjr_closed=1 ;;
      code\ *) fjr_code=${line#* } ;;
      read\ *) step_read=${line#* } ;;
      written\ *) step_written=${line#* } ;;
      rss\ *)
        [ "$step_peak" != null ] && [ "$step_peak" -ge "${line#* }" ] || step_peak=${line#* }
        step_source=framework
        ;;
      threads\ *) step_threads=${line#* } ;;
      start\ *) step_start=${line#* } ;;
      opened\ *) fjr_opened=${line#* } ;;
      skipped\ *) fjr_skipped=${line#* } ;;
      file\ *) step_files=$step_files${line#* }$newline ;;
    esac
  done
  unset IFS
  if [ -z "$fjr_closed" ]; then
    step_code=50115
    hint="its FrameworkJobReport.xml is cut short${fjr_code:+ and names exit code $fjr_code}"
  elif [ -n "$fjr_code" ]; then
    step_code=$fjr_code
  elif [ "$step_code" -eq 0 ] && [ "$fjr_skipped" -gt 0 ] && [ "$fjr_opened" -eq 0 ]; then
    step_code=8020
    hint="every input file was skipped, nothing was read"
  fi
}

add_step_to_report() {
  cpu_total=$((cpu_total + step_cpu))
  if [ "$step_peak" != null ]; then
    [ "$peak_total" != null ] && [ "$peak_total" -ge "$step_peak" ] || peak_total=$step_peak
  fi
  [ -z "$joining" ] || return 0 # no step of the request
  [ "$events_read_json" != null ] || events_read_json=$step_read
  [ "$step_written" = null ] || events_written_json=$step_written
  as_seconds "$step_wall"
  fields="\"name\":\"$step_name\",\"exitCode\":$step_code,\"status\":$step_status,\"signal\":$step_signal,\"wallSec\":$seconds"
  as_seconds "$step_cpu"
  fields="$fields,\"cpuSec\":$seconds,\"peakMemoryMb\":$step_peak,\"eventsRead\":$step_read,\"eventsWritten\":$step_written"
  fields="$fields,\"threads\":$step_threads,\"memorySource\":\"$step_source\",\"startSec\":$step_start,\"instances\":$instances"
  steps_json=$steps_json${steps_json:+,}{$fields}
}

# Bytes and not lines: a step may have written gigabytes without a line break.
show_tails() {
  for stream in stdout stderr; do
    [ -s "$step_name.$stream.log" ] || continue
    echo "wms2: the end of $stream of step $step_name:"
    tail -c 4000 "$step_name.$stream.log"
    echo
  done
}
