# instances.sh: a step that leaves cores idle, run as several instances at once, each with its own part of the events.
#
# Whether, and how many, was decided when the round was planned (src/planning/sizing/instances.ts); here it is obeyed. Each instance
# works in a directory of its own, which has links to the files of the job, and its range in WMS2_FIRST_EVENT …
# WMS2_LAST_EVENT. The ranges are disjoint and in order. The last one of a step that reads files has no end: should a
# file hold more events than anybody counted, they are read too.

instances=1 instance= threads= why= events_per_lumi= before_dirs= joining=

# Whether step $1 can be cut after all: to know its events is the condition. Brings instances down to 1 if not. Sets
#   range_base  the number of its first event      range_total  how many there are      range_grain  they go by so many
#   range_open  the last one has no end            lumis_move   each instance has lumis of its own
plan_instances() {
  if [ "$instances" -le 1 ]; then
    [ -z "$threads" ] || echo "wms2: step $name runs with $threads threads: $why"
    return 0
  fi
  range_base=0 range_total= range_grain=1 range_open=1 lumis_move= obstacle=
  if [ "$1" -gt 0 ]; then
    range_total=$written_before
  elif [ -n "$run_lumis" ]; then
    obstacle='it reads picked lumis'
  elif [ -n "$first_event" ] && [ -n "$last_event" ]; then
    range_base=$first_event range_total=$((last_event - first_event + 1)) range_open=
    if [ -z "$inputs" ] && [ "$first_lumi" != "$last_lumi" ]; then
      lumis_move=1 range_grain=$events_per_lumi
      is_number "$range_grain" && [ "$range_grain" -gt 0 ] || obstacle='number of events per lumi unknown'
    fi
  elif [ -n "$inputs" ]; then
    range_total=$events
  fi
  is_number "$range_total" || obstacle=${obstacle:-'nobody counted its events'}
  if [ -z "$obstacle" ]; then
    range_grains=$(((range_total + range_grain - 1) / range_grain))
    [ "$instances" -le "$range_grains" ] || instances=$range_grains
    [ "$instances" -gt 1 ] || obstacle="it has $range_total events"
  fi
  if [ -n "$obstacle" ]; then
    echo "wms2: step $name was to run in several instances ($why), and runs in one: $obstacle"
    instances=1 threads=
  else
    echo "wms2: step $name runs in $instances instances at once${threads:+, of $threads threads each}: $why"
  fi
}

# What instance $1 is to do, in the variables that every step sees.
take_range() {
  range_from=$((range_grains * ($1 - 1) / instances * range_grain))
  range_end=$((range_grains * $1 / instances * range_grain))
  [ "$range_end" -le "$range_total" ] || range_end=$range_total
  first_event=$((range_base + range_from)) last_event=$((range_base + range_end - 1)) events=$((range_end - range_from))
  [ -z "$range_open" ] || [ "$1" -lt "$instances" ] || last_event=
  if [ -n "$lumis_move" ]; then
    last_lumi=$((first_lumi + (range_end - 1) / range_grain))
    first_lumi=$((first_lumi + range_from / range_grain))
  fi
  # Others would draw the same random numbers; 31 bits, as all seeds.
  [ "$1" -eq 1 ] || [ ${#seed} -gt 10 ] || ! is_number "$seed" || seed=$(((seed + ($1 - 1) * 1640531527) % 2147483647 + 1))
}

# In the place of one guard (step.sh): one for each instance, and one above them all.
guard_instances() {
  trap : TERM HUP
  guards=
  for instance in $(count_to "$instances"); do
    guard_instance 2>"$at.$instance.notice" &
    guards="$guards $!"
  done
  for guard in $guards; do # a signal ends a wait too
    while wait "$guard"; kill -0 "$guard" 2>/dev/null; do :; done
  done
  tell_status 0
}

guard_instance() {
  take_range "$instance"
  before_dirs=${before_dirs:-$PWD}
  [ "$step_index" -gt 0 ] || before_dirs=
  at=$at.$instance
  set +f
  rm -rf "$at" "$at.status" "$at.report" && mkdir "$at" && ln -s "$PWD"/* "$at/" && cd "$at" || { echo 126 >"$at.status"; exit 1; }
  set -f
  guard_step
}

count_to() { LC_ALL=C awk -v last="$1" 'BEGIN { for (i = 1; i <= last; i++) print i }'; }

# The step as a whole: events add up, and the first instance that failed, in their order, speaks for all.
check_instances() {
  : >"$step_name.stdout.log" >"$step_name.stderr.log"
  home=$PWD whole_at=$at whole_peak=$step_peak
  whole_code=0 whole_status=0 whole_signal=null whole_words= whole_read=0 whole_written=0 whole_files= peaks=0 dirs=
  for instance in $(count_to "$instances"); do
    at=$whole_at.$instance
    dirs=$dirs${dirs:+$newline}$at
    step_peak=null step_threads=${threads:-$step_threads}
    cd "$at" 2>/dev/null || finish 50113 "cannot enter $at, the directory of instance $instance of step $step_name"
    read -r step_status 2>/dev/null <"$at.status" || step_status=137
    check_step
    add_instance
    cd "$home" || finish 50113 "cannot go back to $home"
    for stream in stdout stderr; do
      [ ! -s "$at/$step_name.$stream.log" ] || cat "$at/$step_name.$stream.log" >>"$step_name.$stream.log"
    done
  done
  at=$whole_at instance= step_code=$whole_code step_status=$whole_status step_signal=$whole_signal step_words=$whole_words
  step_read=$whole_read step_written=$whole_written step_files= step_peak=$whole_peak before_dirs=$dirs
  if [ "$peaks" != null ]; then
    [ "$step_peak" != null ] && [ "$step_peak" -ge "$peaks" ] || step_peak=$peaks
  fi
}

add_instance() {
  if [ "$whole_code" -eq 0 ] && [ "$step_code" -ne 0 ]; then
    whole_code=$step_code whole_status=$step_status whole_signal=$step_signal
    whole_words="$step_words (instance $instance of $instances)"
  fi
  add_known "$whole_read" "$step_read"
  whole_read=$known_sum
  add_known "$whole_written" "$step_written"
  whole_written=$known_sum
  add_known "$peaks" "$step_peak"
  peaks=$known_sum
  whole_files=$whole_files$step_files
}

add_known() {
  known_sum=null
  [ "$1" = null ] || [ "$2" = null ] || known_sum=$(($1 + $2))
}

# The declared outputs that the instances left become the job's, in order: as merge would join those of jobs.
join_instances() {
  joined_name=$step_name joined_written=$step_written joined_files=
  joining=$instances instances=1 threads=
  each_output join_output
  step_written=$joined_written step_files=$joined_files joining=
}

join_output() {
  set --
  parts= part_events=0 pieces_lumis=
  IFS=$newline
  for dir in $before_dirs; do
    # A link is a file that was there before.
    [ -f "$dir/$out_file" ] && [ ! -L "$dir/$out_file" ] || continue
    set -- "$@" "$dir/$out_file"
    parts=$parts$dir/$out_file$newline
  done
  unset IFS
  [ $# -gt 0 ] || return 0
  [ $# -eq "$joining" ] || finish 60302 "step $joined_name: only $# of its $joining instances left $out_file"
  case $out_merge in
    concat) cat -- "$@" >"$out_file" || finish 60307 "cannot join the parts of $out_file in $PWD" ;;
    command) join_by_command ;;
    *) finish 50113 "output $out_name: its parts cannot be joined, as it is not merged" ;;
  esac
  note_joined
}

join_by_command() {
  inputs_before=$inputs merged_as=$PWD/$out_file
  inputs=$parts
  printf '%s' "$inputs" >"$work.inputs" || finish 50113 'cannot write the list of inputs'
  run_step "$output" "join-$out_name" "./outputs/$output/mergeArgv" ./none
  [ "$step_code" -eq 0 ] || finish "$step_code" "$step_words"
  inputs=$inputs_before merged_as=
  [ -z "$inputs" ] || printf '%s\n' "$inputs" >"$work.inputs" || finish 50113 'cannot write the list of inputs'
}

# What the instances' own reports say of the file, as one line of step_files.
note_joined() {
  counted=0
  IFS=$newline
  for line in $whole_files; do
    known=${line#* }
    [ "${known#* }" = "$out_file" ] || continue
    counted=$((counted + 1)) part_events=$((part_events + ${line%% *}))
    pieces_lumis=$pieces_lumis${known%% *}$newline
  done
  unset IFS
  [ "$counted" -eq "$joining" ] || return 0
  joined_files=$joined_files"$part_events $(join_lumis) $out_file$newline"
}
