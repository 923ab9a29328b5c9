# verdict.sh: what bin/post and bin/elect share: the arguments, the report of an attempt, and the record of it.
#
# DAGMan runs a script again with the same arguments when it crashed meanwhile. So <node>.post.json is replaced
# first and the ledger is appended to after; a second run finds its cluster in post.json and adds the ledger line
# only if it is not there. Nothing here depends on how large the unit is.

ledger=ledger.jsonl
ledger_end= # whole or torn, once somebody looked
newline='
'
tab='	'
time_format=%Y-%m-%dT%H:%M:%SZ
now= # once somebody asked

is_integer() { case ${1#-} in '' | *[!0-9]*) return 1 ;; esac; [ ${#1} -le 12 ]; }
is_name() { case $1 in '' | [!A-Za-z0-9]* | *[!A-Za-z0-9_.-]*) return 1 ;; esac; [ ${#1} -le 200 ]; }
is_quoted_name() { case $1 in '"'*'"') ;; *) return 1 ;; esac; name=${1#\"}; is_name "${name%\"}"; }
is_decimal() { case $1 in '' | .* | *. | *.*.* | *[!0-9.]*) return 1 ;; esac; [ ${#1} -le 16 ]; }

# ask_brain ARGUMENTS: what failed is decided by cause, in bin/brain.cjs, and its exit is ours. It is given so many
# seconds, for a disk that does not answer would hold a place of DAGMan's for ever. 46: it has decided, and is to be
# called again, in our place, for the recovery script, which has a limit of its own.
ask_brain() {
  take_arguments "$@"
  if ! command -v node >/dev/null; then
    echo "Node.js is not on the PATH of this submit host ($PATH): the attempt cannot be checked" >&2
    give_up 'Node.js is not on the PATH of the submit host, so nobody could check this'
  fi
  limit=${WMS2_POST_DEADLINE_SEC:-60}
  timeout --foreground -k 5 "$limit" node "${0%/*}/brain.cjs" "$@"
  answer=$?
  case $answer in
    0 | 1 | 42 | 43 | 44) exit $answer ;;
    46) exec node "${0%/*}/brain.cjs" "$@" script ;;
    124) give_up "the attempt could not be checked within $limit s" ;;
  esac
  give_up "the attempt could not be checked: bin/brain.cjs ended with $answer"
}

# give_up WORDS: fails closed. The node waits for a person; what the brain had already decided is not told twice.
give_up() {
  printf '%s\n' "$1" >"$job.stopped" || exit 44
  if grep -qsF -e "\"node\":\"$job\",\"cluster\":$cluster," "$ledger"; then exit 42; fi
  code=$returned
  conclude stop "$1"
}

# take_arguments JOB RETURN RETRY MAX_RETRIES CLUSTERID. An argument that cannot be true never helps a node to be done.
take_arguments() {
  job=${1-} returned=${2-} retry=${3-} max_retries=${4-} cluster=${5-}
  is_name "$job" || { echo "not the name of a node: $job" >&2; exit 42; }
  is_integer "$returned" || returned=-1
  is_integer "$retry" || retry=0
  is_integer "$max_retries" || max_retries=0
  is_integer "$cluster" || cluster=-1
  code=0 site=null host=null wall=null cpu=null peak=null started=null ended=null read=null written=null
}

# read_done: whether the last verdict on the node is done; line is then the one it has, or should have, in the ledger.
read_done() {
  [ -f "$job.post.json" ] || return 1
  line=
  read -r line <"$job.post.json"
  case $line in
    *'"verdict":{'*'"decision":"done"'*'}') ;;
    *) return 1 ;;
  esac
  line="{${line##*\"verdict\":\{}"
  line="${line%%\}*}}"
}

# make_sure CLUSTER: a POST that was killed after post.json has not added its line.
make_sure() { grep -qF -e "\"node\":\"$job\",\"cluster\":$1," "$ledger" 2>/dev/null || append "$line"; }

# Ends the script if this attempt was found to be done before.
repeat_success() {
  read_done || return 0
  case $line in *"\"node\":\"$job\",\"cluster\":$cluster,"*) ;; *) return 0 ;; esac
  make_sure "$cluster"
  exit 0
}

# stays_done: whether the node is done and was not opened again since: a person named it for a new epoch, or its unit
# moved. The merged outputs of a unit are believed only while what tells of them is whole.
stays_done() {
  read_done || return 1
  cluster=${line#*\"cluster\":}
  make_sure "${cluster%%,*}"
  [ "$job" != merge ] || [ "$(tail -n 1 merge_output.json 2>/dev/null)" = ']}' ] || return 1
  text=$(grep -F -e "\"node\":\"$job\"," -e '"event":"epoch"' -e '"event":"moved"' -e '"event":"again"' "$ledger")
  is_done=no
  IFS=$newline
  for line in $text; do
    case $line in
      *'"event":"moved"'*) is_done=no ;;
      *'"event":"epoch"'* | *'"event":"again"'*) case $line in *"\"$job\""*) is_done=no ;; esac ;;
      *'"decision":"done"'*) is_done=yes ;;
      *'"decision":"'*) is_done=no ;;
    esac
  done
  unset IFS
  [ "$is_done" = yes ]
}

# Fills state, report_code and what else is kept from the report of this very attempt; state stays empty without
# one. The file has a key a line in fixed order, and what is long comes last: reading ends before. Its closing brace
# shows that it is whole. The end of the ledger and the time are asked for at once, since every process costs a millisecond;
# neither file can hold a tab.
read_report() {
  state= report_code= report_node= report_cluster=null
  report=$job.$cluster.report.json
  [ -f "$report" ] || return 0
  while IFS= read -r line; do
    field=${line#*:}
    field=${field%,}
    case $line in
      '"state":'*) state=$field ;;
      '"node":'*) report_node=$field ;;
      '"cluster":'*) report_cluster=$field ;;
      '"site":'*) believe_site "$field" ;;
      '"host":'*) is_quoted_name "$field" && host=$field ;;
      '"startedAt":'*) is_decimal "$field" && iso_time "$field" && started=$time ;;
      '"endedAt":'*) is_decimal "$field" && iso_time "$field" && ended=$time ;;
      '"wallSec":'*) is_decimal "$field" && wall=$field ;;
      '"cpuSec":'*) is_decimal "$field" && cpu=$field ;;
      '"peakMemoryMb":'*) is_decimal "$field" && peak=$field ;;
      '"eventsRead":'*) is_decimal "$field" && read=$field ;;
      '"eventsWritten":'*) is_decimal "$field" && written=$field ;;
      '"exitCode":'*) is_integer "$field" && report_code=$field ;;
      '"steps":'*) break ;;
    esac
  done <"$report"
  state=${state#\"}
  state=${state%\"}
  ends=$(tail -q -c 2 "$report" "$ledger" 2>/dev/null & exec date -u "+$tab$time_format$tab")
  now=${ends#*"$tab"}
  now=${now%%"$tab"*}
  end=${ends#*"$tab$now$tab"}
  ends=${ends%%"$tab$now$tab"*}${end#"$newline"}
  case $ends in
    "}$newline" | '}' | "}$newline}" | "}$newline}$newline") ledger_end=whole ;;
    "}$newline"*) ledger_end=torn ;;
    *) state= ;;
  esac
  [ "$report_node" = "\"$job\"" ] || state=
  case $report_cluster in null | "$cluster") ;; *) state= ;; esac
}

# believe_site NAME_JSON: what a job says of its site is believed only if its unit may be there; else site is the one
# that the unit was elected to.
believe_site() {
  sites= named=${1#\"}
  named=${named%\"}
  while IFS= read -r line; do
    case $line in [Mm][Yy].DESIRED_Sites*'"'*'"' | +DESIRED_Sites*'"'*'"') ;; *) continue ;; esac
    sites=${line#*\"}
    sites=${sites%\"}
    break
  done 2>/dev/null <group.inc
  case ,$sites, in *",$named,"*) sites=$named ;; esac
  if is_name "$sites"; then site="\"$sites\""; fi
}

# iso_time SECONDS: time as a JSON string, without starting `date`; days become a date by the calendar's 400-year cycle.
iso_time() {
  case $1 in *.* | '' | ????????????*) return 1 ;; esac
  days=$(($1 / 86400 + 719468)) rest=$(($1 % 86400))
  era=$((days / 146097)) day=$((days % 146097))
  year=$(((day - day / 1460 + day / 36524 - day / 146096) / 365))
  day=$((day - (365 * year + year / 4 - year / 100)))
  month=$(((5 * day + 2) / 153))
  day=$((day - (153 * month + 2) / 5 + 1))
  month=$((month < 10 ? month + 3 : month - 9))
  year=$((year + era * 400 + (month <= 2 ? 1 : 0)))
  hour=$((rest / 3600)) minute=$((rest % 3600 / 60)) second=$((rest % 60))
  time=$year
  for part in "-$month" "-$day" "T$hour" ":$minute" ":$second"; do
    case $part in ??) part="${part%?}0${part#?}" ;; esac
    time=$time$part
  done
  time="\"${time}Z\""
}

# rrn and epoch of this execution. A node that was never checked has its first; of any other the ledger knows the last
# one, and whether an operator opened a new epoch since. Lines are searched as text: all writers leave out blanks.
count_execution() {
  rrn=1 epoch=0
  [ -e "$job.post.json" ] || return 0
  text=$(grep -F -e "\"node\":\"$job\"," -e '"event":"epoch"' "$ledger" 2>/dev/null)
  IFS=$newline
  for line in $text; do
    field=${line##*\"epoch\":}
    field=${field%%[!0-9]*}
    case $line in
      *'"event":"epoch"'*)
        case $line in *'"nodes":null'* | *"\"$job\""*) ;; *) continue ;; esac
        [ "${field:-0}" -le "$epoch" ] || { epoch=$field; rrn=1; }
        ;;
      *'"cause":"evicted"'* | *'"cause":"node_lost"'* | *'"cause":"submit_failed"'* | *'"event":"script"'*) ;;
      *'"rrn":'*)
        [ "${field:-0}" -lt "$epoch" ] || epoch=${field:-0}
        count=${line##*\"rrn\":}
        count=${count%%[!0-9]*}
        [ "${count:-0}" -lt "$rrn" ] || rrn=$((count + 1))
        ;;
    esac
  done
  unset IFS
}

# conclude DECISION REASON: leaves the record and the script. Without its record a node is not done: the attempt would
# be invisible. When it cannot be written (a full disk), DAGMan is asked to call again later.
conclude() {
  decision=$1
  [ "$decision" != retry ] || [ "$retry" -lt "$max_retries" ] || decision=stop
  count_execution
  [ -n "$now" ] || now=$(date -u "+$time_format")
  action=success category=null
  [ "$decision" = done ] || { action=permanent_failure category='"infrastructure"'; }
  line="{\"event\":\"attempt\",\"at\":\"$now\",\"node\":\"$job\",\"cluster\":$cluster,\"retry\":$retry,\"maxRetries\":$max_retries,\"return\":$returned,\"rrn\":$rrn,\"epoch\":$epoch,\"exitCode\":$code,\"site\":$site,\"host\":$host,\"startedAt\":$started,\"endedAt\":$ended,\"wallSec\":$wall,\"cpuSec\":$cpu,\"peakMemoryMb\":$peak,\"decision\":\"$decision\",\"category\":$category,\"reason\":\"$2\"}"
  {
    printf '%s\n' "{\"node_name\":\"$job\",\"timestamp\":\"$now\",\"attempt\":$((retry + 1)),\"max_retries\":$max_retries,\"final\":true,\"verdict\":$line,\"job\":{\"exit_code\":$code,\"exit_signal\":null,\"hold_reason\":null,\"wall_time_sec\":$wall,\"cpu_time_sec\":$cpu,\"memory_mb\":null,\"site\":$site,\"schedd\":null},\"cmssw\":{\"exit_code\":$code,\"steps\":{},\"error_message\":null,\"input_files\":[],\"output_files\":[],\"performance\":{\"peak_rss_mb\":$peak,\"avg_event_time_sec\":null,\"events_read\":$read,\"events_written\":$written}},\"classification\":{\"category\":$category,\"retryable\":false,\"bad_input_files\":[],\"action\":\"$action\",\"rrn\":$rrn,\"epoch\":$epoch,\"reason\":\"$2\"},\"log_tail\":\"\"}" >".$job.post.json.tmp" &&
      mv -f ".$job.post.json.tmp" "$job.post.json"
  } || not_yet "cannot write $job.post.json"
  append "$line"
  case $decision in
    done) exit 0 ;;
    retry) exit 1 ;;
  esac
  exit 42
}

# One write of one line, so that lines of several nodes do not mix. A line torn by a full disk is closed first.
append() {
  if [ -z "$ledger_end" ] && [ -s "$ledger" ] && [ -n "$(tail -c 1 "$ledger")" ]; then ledger_end=torn; fi
  prefix=
  [ "$ledger_end" != torn ] || prefix=$newline
  printf '%s%s\n' "$prefix" "$1" >>"$ledger" || not_yet "cannot append to $ledger"
  [ ! -e "$job.trouble" ] || rm -f "$job.trouble"
}

# not_yet WORDS: DAGMan is asked to call again later, and <node>.trouble tells people why it has to.
not_yet() {
  echo "$1" >&2
  { printf '%s\n' "$1 in $PWD" >"$job.trouble"; } 2>/dev/null
  exit 44
}
