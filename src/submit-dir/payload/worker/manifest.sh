# manifest.sh: reads manifest.json. Flattened, what is common to all nodes and the numbers of ours are in $flat, a line per
# value, to be gone over; all of the nodes is in the file $work.nodes. Inputs may be many thousands: they go through awk,
# as a shell that appends to a string takes quadratic time.

request= unit= round= block= unmerged=
steps=0 outputs=0 node_found=0

# load_manifest [NODE]: with a node, only that one of the unit's nodes is read.
load_manifest() {
  [ -r manifest.json ] || finish 50113 'manifest.json is missing'
  : >"$work.nodes" || finish 50113 "cannot write in $PWD"
  flat=$(flatten "${1-}" 2>/dev/null) || {
    flatten "${1-}" 2>"$work.manifest.err" >/dev/null
    read_first_line "$work.manifest.err"
    finish 50113 "manifest.json is not readable: $first_line"
  }
  IFS=$newline
  for line in $flat; do
    case $line in ./steps/*/* | ./outputs/*/* | ./nodes/*) continue ;; esac
    split_line "$line"
    case $path in
      ./request) request=$value ;;
      ./unit) unit=$value unit_json=$raw ;;
      ./round) round=$value ;;
      ./block) block=$value ;;
      ./unmerged) unmerged=$value ;;
      ./steps/*) steps=$((steps + 1)) ;;
      ./outputs/*) outputs=$((outputs + 1)) ;;
    esac
  done
  unset IFS
  [ "$role" != job ] || return 0
  is_name "$unit" || finish 50113 'manifest.json names no unit'
  case $block in
    '' | *[!0-9]*) finish 50113 'manifest.json names no block' ;;
  esac
  case $unmerged in
    *"$newline"* | */../* | */..) finish 50113 'the unmerged directory has an unusable name' ;;
    /*/"$unit") ;;
    *) finish 50113 'the unmerged directory is not an absolute path that ends in the name of the unit' ;;
  esac
}

flatten() {
  LC_ALL=C awk -v pick="$1" -v whole="${1:+ ./nodes/$1/runLumis ./nodes/$1/lumis }" -v nodes="$work.nodes" "$json_awk" manifest.json
}

# path, type, value, raw: the columns of json.awk.
split_line() {
  path=${1%%"$tab"*}
  raw=${1#*"$tab"}
  type=${raw%%"$tab"*}
  raw=${raw#*"$tab"}
  plain "${raw%%"$tab"*}"
  raw=${raw#*"$tab"}
}

# The fields of output $1: out_name, out_file, out_merge, out_keep, out_path, and as JSON name, dataset, lfn, path.
load_output() {
  out_name= out_file= out_merge=concat out_keep=true out_path= out_name_json= out_dataset_json=null
  out_lfn= out_lfn_json=null out_path_json=null
  IFS=$newline
  for line in $flat; do
    case $line in "./outputs/$1/"*) ;; *) continue ;; esac
    split_line "$line"
    case $path in
      */name) out_name=$value out_name_json=$raw ;;
      */file) out_file=$value ;;
      */merge) out_merge=$value ;;
      */keep) out_keep=$value ;;
      */path) out_path=$value out_path_json=$raw ;;
      */dataset) out_dataset_json=$raw ;;
      */lfn) out_lfn=$value out_lfn_json=$raw ;;
    esac
  done
  unset IFS
  is_name "$out_name" || finish 50113 "output $1 has no usable name"
  case $out_file in
    '' | /* | *"$newline"* | .. | ../* | */.. | */../*)
      finish 50113 "output $out_name: the file must be a relative name without .. and line breaks"
      ;;
  esac
}

# What this node is to do: inputs (paths, a line each), inputs_json (LFNs), and the numbers a step may see.
load_node() {
  inputs= first_event= last_event= first_lumi= last_lumi= run_lumis= input_lumis= events= seed= has_inputs=
  IFS=$newline
  for line in $flat; do
    case $line in ./nodes/*) ;; *) continue ;; esac
    split_line "$line"
    [ "$type" != z ] || continue
    case ${path#"./nodes/$node"} in
      '') node_found=1 ;;
      /inputs/0) has_inputs=1 ;;
      /firstEvent) first_event=$value ;;
      /lastEvent) last_event=$value ;;
      /firstLumi) first_lumi=$value ;;
      /lastLumi) last_lumi=$value ;;
      /runLumis) [ "$type" != j ] || [ "$value" = null ] || run_lumis=$value ;;
      /lumis) [ "$type" != j ] || input_lumis=$value ;;
      /events) events=$value ;;
      /seed) seed=$value ;;
      # With more memory than a probe gets, it was killed as one: now it does its work as the others do.
      /probe) is_number "$value" && [ "${memory_mb:-0}" -gt "$value" ] || probe_json=',"probe":true' ;;
    esac
  done
  unset IFS
  [ "$node_found" -eq 1 ] || finish 50113 "manifest.json has no node $node"
  [ -n "$has_inputs" ] || return 0
  inputs_json=$(lfns_of "$node")
  plain "$(paths_of "$node")"
  inputs=$value
  [ -n "$inputs" ] || finish 50113 'an input has no path, or one with a line break'
  printf '%s\n' "$inputs" >"$work.inputs" || finish 50113 'cannot write the list of inputs'
}

# The paths of a node's inputs as json.awk wrote them; nothing if one of them cannot stand in a list.
paths_of() {
  LC_ALL=C awk -F'\t' -v prefix="./nodes/$1/inputs/" '
    index($1, prefix) != 1 || $1 !~ /\/[0-9]+\/path$/ { next }
    { bare = $3; gsub(/\\\\/, "", bare); if (bare == "" && $3 == "" || bare ~ /\\n/) { bad = 1; exit } path[count++] = $3 }
    END { for (i = 0; i < count && !bad; i++) print path[i] }' "$work.nodes"
}

# The LFNs of the inputs of a node, or of all nodes, each once, as a JSON list without its brackets.
lfns_of() {
  LC_ALL=C awk -F'\t' -v prefix="./nodes/${1:+$1/}" '
    index($1, prefix) != 1 || $1 !~ /^\.\/nodes\/[^\/]+\/inputs\/[0-9]+\/lfn$/ || $4 in seen { next }
    { seen[$4]; printf "%s", comma; printf "%s", $4; comma = "," }' "$work.nodes"
}
