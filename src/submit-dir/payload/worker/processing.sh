# processing.sh: runs the steps in order, stops at the first that fails, and stages out what was declared.

run_processing() {
  load_manifest "$node"
  load_node
  [ "$steps" -gt 0 ] || finish 50113 'manifest.json has no steps'
  files_seen=
  index=0
  while [ "$index" -lt "$steps" ]; do
    read_step "$index"
    plan_instances "$index"
    run_step "$index" "$name" "./steps/$index/argv" "./steps/$index/env"
    [ "$step_code" -eq 0 ] || finish "$step_code" "$step_words"
    [ "$stopped" -eq 0 ] || finish 143 "stopped by SIGTERM after step $name"
    if [ "$instances" -gt 1 ]; then join_instances; else before_dirs=; fi
    files_seen=$files_seen$step_files written_before=$step_written
    index=$((index + 1))
  done
  job_events=$events_written_json
  [ "$job_events" != null ] || job_events=$events_read_json
  each_output require_output
  each_output stage_output
  [ "$stopped" -eq 0 ] || say 'SIGTERM came when the work was done'
  finish 0
}

# name, and how it is to run: instances, threads, why.
read_step() {
  name= instances=1 threads= why= events_per_lumi=
  IFS=$newline
  for line in $flat; do
    case $line in "./steps/$1/argv"* | "./steps/$1/env"*) continue ;; "./steps/$1/"*) ;; *) continue ;; esac
    split_line "$line"
    case $path in
      */name) name=$value ;;
      */instances) ! is_number "$value" || instances=$value ;;
      */threads) ! is_number "$value" || threads=$value ;;
      */probeInstances) [ -z "$probe_json" ] || ! is_number "$value" || instances=$value ;;
      */probeThreads) [ -z "$probe_json" ] || ! is_number "$value" || threads=$value why='this job is a probe' ;;
      */eventsPerLumi) events_per_lumi=$value ;;
      */why) why=$value ;;
    esac
  done
  unset IFS
  is_name "$name" || finish 50113 "step $1 has no usable name"
}

each_output() {
  output=0
  while [ "$output" -lt "$outputs" ]; do
    load_output "$output"
    "$1"
    output=$((output + 1))
  done
}

# All are checked before any is copied.
require_output() {
  [ -f "$out_file" ] || finish 60302 "the steps left no file $out_file, declared as output $out_name"
}

# An output that is not kept only had to be there: nobody would read a copy.
stage_output() {
  [ "$out_keep" != false ] || return 0
  known_of "$out_file"
  target=$unmerged/$node.$out_file
  put "./$out_file" "$target" && put_line "$size cksum:$sum $file_events $job_events $file_lumis" "$target.sum" ||
    finish 60307 "stage-out of $out_file to $target failed: $storage_words"
  json_string "$target"
  outputs_json="$outputs_json${outputs_json:+,}{\"name\":\"$out_name\",\"path\":$json,\"sizeBytes\":$size,\"checksum\":\"cksum:$sum\",\"events\":$file_events}"
}

# file_events, file_lumis: what a step's own report says of that very file, else what the job as a whole wrote and was to
# do; - where nobody knows the lumis.
known_of() {
  file_events=$job_events file_lumis=${run_lumis:-${input_lumis:--}}
  if [ -n "$first_lumi" ] && [ -n "$last_lumi" ]; then file_lumis="{\"1\":[[$first_lumi,$last_lumi]]}"; fi
  IFS=$newline
  for line in $files_seen; do
    known=${line#* }
    [ "${known#* }" = "$1" ] || continue
    ! is_number "${line%% *}" || file_events=${line%% *}
    [ "${known%% *}" = - ] || file_lumis=${known%% *}
  done
  unset IFS
}
