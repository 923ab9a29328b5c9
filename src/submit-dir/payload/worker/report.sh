# report.sh: what the job says about itself. Variables that end in _json hold JSON, ready to be written.

unit_json=null cluster_json=null site_json=null host_json=null cores= memory_mb=
cpu_total=0 peak_total=null events_read_json=null events_written_json=null
steps_json= inputs_json= outputs_json= framework_json=false probe_json=

# Who and where we are, and when: from the engine's variables, else from the ads HTCondor leaves for a job. The time is
# what srand() took, which spares a process of `date`.
learn_surroundings() {
  read_clock
  started_clock=$centiseconds started_at=
  cluster=${WMS2_CLUSTER-} site=${WMS2_SITE-} cores=${WMS2_CORES-} memory_mb=${WMS2_MEMORY_MB-}
  set -- /dev/null
  [ ! -r "${_CONDOR_JOB_AD:-/nonexistent}" ] || set -- "$@" "$_CONDOR_JOB_AD"
  [ ! -r "${_CONDOR_MACHINE_AD:-/nonexistent}" ] || set -- "$@" "$_CONDOR_MACHINE_AD"
  said=$(LC_ALL=C awk '/^(ClusterId|RequestCpus|RequestMemory|GLIDEIN_CMSSite) = /{ print $1 "=" $3 }
    END { srand(); printf "now=%.0f\n", srand() }' "$@")
  IFS=$newline
  for line in $said; do
    value=${line#*=}
    case $line in
      ClusterId=*) cluster=${cluster:-$value} ;;
      RequestCpus=*) cores=${cores:-$value} ;;
      RequestMemory=*) memory_mb=${memory_mb:-$value} ;;
      GLIDEIN_CMSSite=*) value=${value#\"} site=${site:-${value%\"}} ;;
      now=??????????) started_at=$value ;;
    esac
  done
  unset IFS
  is_number "$started_at" || started_at=$(date +%s)
  is_number "$cores" || cores=
  is_number "$memory_mb" || memory_mb=
  if is_number "$cluster"; then cluster_json=$cluster; fi
  if is_name "$site"; then site_json="\"$site\""; else site=; fi
  host=
  read -r host 2>/dev/null </proc/sys/kernel/hostname || host=$(uname -n)
  json_string "$host"
  host_json=$json
}

# write_report STATE [CODE ERROR_JSON]. The first one replaces nothing, and a printf is one write: it needs no second name.
write_report() {
  ended=null wall=null written_to=report.json
  if [ "$1" = finished ]; then
    read_clock
    ended=$((started_at + (centiseconds - started_clock) / 100))
    as_seconds $((centiseconds - started_clock))
    wall=$seconds
    written_to=.report.json.tmp
  fi
  job_files=
  [ "$role" != job ] || job_files=",$newline\"reads\":[$reads_json],$newline\"makes\":[$makes_json]${products_json:+,$newline\"products\":[$products_json]}"
  json_string "$node"
  node_json=$json
  json_string "$role"
  as_seconds "$cpu_total"
  printf '%s\n' '{' '"version":1,' "\"state\":\"$1\"," "\"role\":$json," "\"node\":$node_json," \
    "\"unit\":$unit_json," "\"cluster\":$cluster_json," "\"site\":$site_json," "\"host\":$host_json," \
    "\"startedAt\":$started_at," "\"endedAt\":$ended," "\"wallSec\":$wall," "\"cpuSec\":$seconds," \
    "\"peakMemoryMb\":$peak_total," "\"exitCode\":${2:-null}," "\"error\":${3:-null}," \
    "\"eventsRead\":$events_read_json," "\"eventsWritten\":$events_written_json," "\"framework\":$framework_json$probe_json," \
    "\"steps\":[$steps_json]," \
    "\"inputs\":[$inputs_json]," "\"outputs\":[$outputs_json]$job_files" '}' >"$written_to" &&
    { [ "$written_to" = report.json ] || mv -f "$written_to" report.json; } && return
  say 'cannot write report.json'
  return 1
}

# finish CODE [WORDS]: the only way out. Control codes belong to bin/post and are never a job's exit status.
finish() {
  trap '' TERM
  error=null
  if [ "$1" -ne 0 ]; then
    say "failed with $1: $2"
    json_string "$2"
    error=$json
  fi
  write_report finished "$1" "$error" || exit 1
  case $1 in
    0) exit 0 ;;
    42 | 43 | 44) exit 1 ;;
  esac
  if [ "$1" -le 255 ]; then exit "$1"; fi
  exit 1
}
