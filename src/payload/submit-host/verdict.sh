# verdict.sh: what bin/post and bin/elect share: the arguments, what is known of an attempt, and the record of it.
#
# DAGMan runs a script again with the same arguments when it crashed meanwhile. So <node>.post.json is replaced
# first and the ledger is appended to after; a second run finds its cluster in post.json, repeats that verdict to
# the letter, and adds the ledger line only if it is not there. Nothing here depends on how large the unit is,
# unless an attempt failed without a report.

ledger=ledger.jsonl
newline='
'

is_integer() { case ${1#-} in '' | *[!0-9]*) return 1 ;; esac; [ ${#1} -le 12 ]; }
is_name() { case $1 in '' | [!A-Za-z0-9]* | *[!A-Za-z0-9_.-]*) return 1 ;; esac; [ ${#1} -le 200 ]; }

# take_arguments JOB RETURN RETRY MAX_RETRIES CLUSTERID. An argument that cannot be true never helps a node to be done.
take_arguments() {
  job=${1-} returned=${2-} retry=${3-} max_retries=${4-} cluster=${5-}
  is_name "$job" || { echo "not the name of a node: $job" >&2; exit 1; }
  is_integer "$returned" || returned=-1
  is_integer "$retry" || retry=0
  is_integer "$max_retries" || max_retries=0
  is_integer "$cluster" || cluster=-1
  code=$returned site=null host=null wall=null peak=null
}

# Ends the script if this attempt was judged before. Failed submissions have no cluster; the retry tells them apart.
repeat_verdict() {
  [ -f "$job.post.json" ] || return 0
  line=
  read -r line <"$job.post.json"
  key="\"node\":\"$job\",\"cluster\":$cluster,"
  [ "$cluster" -gt 0 ] || key="$key\"retry\":$retry,"
  case $line in
    '{'*"$key"*'"decision":"'*'}') ;;
    *) return 0 ;;
  esac
  decision=${line##*\"decision\":\"}
  decision=${decision%%\"*}
  grep -qF -e "$key" "$ledger" 2>/dev/null || append "$line"
  leave
}

# Fills state, code, error, site, host, wall, peak from the report of this very attempt; state stays empty without
# one. The file has a key a line in fixed order; the closing brace shows that it is whole.
read_report() {
  state= error= report_code= report_node= report_cluster=null closed=
  [ -f "$job.$cluster.report.json" ] || return 0
  text=$(cat "$job.$cluster.report.json")
  IFS=$newline
  for line in $text; do
    field=${line#*:}
    field=${field%,}
    case $line in
      '"state":'*) state=$field ;;
      '"node":'*) report_node=$field ;;
      '"cluster":'*) report_cluster=$field ;;
      '"site":'*) is_quoted_name "$field" && site=$field ;;
      '"host":'*) is_quoted_name "$field" && host=$field ;;
      '"wallSec":'*) is_decimal "$field" && wall=$field ;;
      '"peakMemoryMb":'*) is_decimal "$field" && peak=$field ;;
      '"exitCode":'*) is_integer "$field" && report_code=$field ;;
      '"error":'*) error=$field ;;
      '}') closed=1 ;;
    esac
  done
  unset IFS
  state=${state#\"}
  state=${state%\"}
  [ -n "$closed" ] || state=
  [ "$report_node" = "\"$job\"" ] || state=
  case $report_cluster in null | "$cluster") ;; *) state= ;; esac
}

is_quoted_name() { case $1 in '"'*'"') ;; *) return 1 ;; esac; name=${1#\"}; is_name "${name%\"}"; }
is_decimal() { case $1 in '' | .* | *. | *.*.* | *[!0-9.]*) return 1 ;; esac; [ ${#1} -le 16 ]; }

# The report's error is a JSON string. Whatever needed an escape loses it: a reason is one plain sentence.
plain_error() {
  reason=${error#\"}
  reason=${reason%\"}
  case $reason in *[\\\"[:cntrl:]]*) reason=$(printf '%s' "$reason" | tr -d '\\"[:cntrl:]') ;; esac
  [ ${#reason} -le 600 ] || reason=$(printf '%.600s' "$reason")
}

# code and reason of an attempt that failed (D3): the job's own report, then why the batch system took the job away,
# then signal or exit status. A removed job is different: its report, if any, only knows that it had to stop.
explain_failure() {
  if [ "$returned" -ne -1002 ] && [ "$state" = finished ] && [ -n "$report_code" ] && [ "$report_code" -ne 0 ]; then
    code=$report_code
    plain_error
    return
  fi
  case $returned in
    -1001) code=-1001 reason='submission failed' ;;
    -1002) explain_removal ;;
    -1004) code=-1004 reason='the PRE script failed' ;;
    -100*) code=$returned reason="the engine lost the job ($returned)" ;;
    -*) code=$((128 - returned)) reason="killed by signal ${returned#-}" ;;
    0) code=50115 reason='no report' ;;
    *) code=$returned reason="exit $returned" ;;
  esac
  if [ "$returned" -ge -1000 ] && [ "$returned" -ne 0 ]; then
    case $state in
      '') reason="$reason, no report" ;;
      started) reason="$reason, before the report was finished" ;;
    esac
  fi
  [ "$site" != null ] || read_events
}

read_events() {
  event_site= held= removed=
  [ -r group.log ] || return 0
  text=$(LC_ALL=C awk -v cluster="$cluster" -f "${0%/*}/events.awk" group.log)
  IFS=$newline
  for line in $text; do
    case $line in
      'site '*) event_site=${line#* } ;;
      'held '*) held=${line#* } ;;
      'removed '*) removed=${line#* } ;;
    esac
  done
  unset IFS
  if is_name "$event_site"; then site="\"$event_site\""; fi
}

# held is "CODE SUBCODE WORDS". With code 3, a periodic expression of ours, the subcode is the exit code.
explain_removal() {
  read_events
  code=-1002
  if [ -n "$held" ]; then
    hold_code=${held%% *}
    words=${held#* }
    hold_subcode=${words%% *}
    words=${words#* }
    if [ "$hold_code" = 3 ] && [ "$hold_subcode" -gt 0 ]; then
      code=$hold_subcode reason="removed: $words ($hold_subcode)"
    else
      reason="removed while held: $words (code $hold_code, subcode $hold_subcode)"
    fi
  else
    reason="removed${removed:+: $removed}"
  fi
}

# conclude DECISION REASON: leaves the record and the script. A retry that DAGMan will not grant is a stop.
conclude() {
  decision=$1
  [ "$decision" != retry ] || [ "$retry" -lt "$max_retries" ] || decision=stop
  line="{\"at\":\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\",\"node\":\"$job\",\"cluster\":$cluster,\"retry\":$retry,\"maxRetries\":$max_retries,\"return\":$returned,\"exitCode\":$code,\"site\":$site,\"host\":$host,\"wallSec\":$wall,\"peakMemoryMb\":$peak,\"decision\":\"$decision\",\"reason\":\"$2\"}"
  # Without its record a node is not done: the attempt would be invisible.
  { printf '%s\n' "$line" >".$job.post.json.tmp" && mv -f ".$job.post.json.tmp" "$job.post.json"; } || exit 1
  append "$line"
  leave
}

# One write of one line, so that lines of several nodes do not mix. A line torn by a full disk is closed first.
append() {
  prefix=
  if [ -s "$ledger" ] && [ -n "$(tail -c 1 "$ledger")" ]; then prefix=$newline; fi
  printf '%s%s\n' "$prefix" "$1" >>"$ledger" || exit 1
}

leave() {
  [ "$decision" = done ] && exit 0
  exit 1
}
