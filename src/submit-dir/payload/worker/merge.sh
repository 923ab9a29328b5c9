# merge.sh: makes one file per kept output from what the unit's jobs staged out, in the order of the nodes.
# Running it again, after a crash or a lost verdict, makes the same files. One that stands at its place since a merge
# that was finished may be registered: it is adopted if it is the same, and never replaced.

batch=50 # pieces that are read by one process

run_merge() {
  load_manifest
  load_node_list
  results= records= unit_events=
  output=0
  while [ "$output" -lt "$outputs" ]; do
    load_output "$output"
    [ "$out_keep" = false ] || merge_output
    [ "$stopped" -eq 0 ] || finish 143 'stopped by SIGTERM'
    output=$((output + 1))
  done
  [ -n "$unit_events" ] || unit_events=$planned_events
  events_written_json=$unit_events
  add_adler32
  # What cleanup compares before it removes anything.
  make_directory "$unmerged" && put_line "$records" "$unmerged/.merged" ||
    finish 60307 "cannot note the merge in $unmerged: $storage_words"
  printf '%s\n' "{\"version\":1,\"unit\":$unit_json,\"block\":$block,\"site\":$site_json,\"events\":$unit_events,\"outputs\":[$results" ']}' \
    >.merge_output.json.tmp && mv -f .merge_output.json.tmp merge_output.json || finish 60307 'cannot write merge_output.json'
  finish 0
}

# nodes: "NAME EVENTS" a line, as planned; planned_events: their sum. parents: the LFNs of all inputs as JSON.
load_node_list() {
  nodes=$(LC_ALL=C awk -F'\t' '
    { n = split($1, part, "/") }
    part[2] != "nodes" { next }
    n == 3 { order[count++] = part[3]; events[part[3]] = 0 }
    n == 4 && part[4] == "events" && $2 != "z" { events[part[3]] = $3 }
    END { for (i = 0; i < count; i++) print order[i], events[order[i]] }' "$work.nodes")
  planned_events=0
  IFS=$newline
  for line in $nodes; do
    is_name "${line% *}" && is_number "${line#* }" || finish 50113 "manifest.json has an unusable node: $line"
    planned_events=$((planned_events + ${line#* }))
  done
  unset IFS
  [ -n "$nodes" ] || finish 50113 'manifest.json has no nodes'
  parents=$(lfns_of)
}

merge_output() {
  case $out_merge in concat | command | none) ;; *) finish 50113 "output $out_name: unknown merge $out_merge" ;; esac
  case $out_path in
    *"$newline"* | */../* | */..) finish 50113 "output $out_name: the path has an unusable name" ;;
    /*/*) ;;
    *) finish 50113 "output $out_name: the path is not absolute" ;;
  esac
  check_pieces
  unit_events=$jobs_events
  case $out_merge in
    concat) concatenate ;;
    command) run_merge_command ;;
    none) copy_pieces ;;
  esac
}

# Every job's file must be there with the size and checksum its job wrote down. Sets inputs (a path a line),
# pieces ("SIZE SUM LUMIS EVENTS NODE" a line), pieces_size, pieces_events (null when one is unknown), pieces_lumis, jobs_events.
check_pieces() {
  inputs= pieces= pieces_size=0 pieces_events=0 pieces_lumis= jobs_events=0
  set --
  IFS=$newline
  for line in $nodes; do
    set -- "$@" "$line"
    [ $# -lt "$batch" ] || { check_batch "$@"; set --; }
  done
  unset IFS
  check_batch "$@"
}

# check_batch NODE…, as in nodes: so many are read by one process.
check_batch() {
  unset IFS
  sum_batch "$@"
  for line; do
    piece=$unmerged/${line% *}.$out_file
    read -r piece_size piece_sum piece_events job_events piece_lumis 2>/dev/null <"$piece.sum" ||
      finish 70318 "output $out_name: $piece.sum is missing or unreadable"
    split_sum "$sums"
    sums=${sums#*"$newline"}
    [ "$size cksum:$sum" = "$piece_size $piece_sum" ] ||
      finish 70318 "output $out_name: $piece has $size bytes and cksum:$sum, its job wrote $piece_size and $piece_sum"
    inputs=$inputs$piece$newline
    pieces="$pieces$size $sum ${piece_lumis:--} $piece_events ${line% *}$newline"
    pieces_lumis=$pieces_lumis${piece_lumis:--}$newline
    pieces_size=$((pieces_size + size))
    if is_number "$piece_events" && [ "$pieces_events" != null ]; then
      pieces_events=$((pieces_events + piece_events))
    else
      pieces_events=null
    fi
    # A job that counted nothing did what was planned for it.
    is_number "$job_events" || job_events=${line#* }
    jobs_events=$((jobs_events + job_events))
  done
}

# sums: of the pieces of the nodes.
sum_batch() {
  sums=
  for line; do
    shift
    set -- "$@" "$unmerged/${line% *}.$out_file"
  done
  [ $# -eq 0 ] || checksums "$@" && return
  for piece; do
    [ -e "$piece.sum" ] || finish 70318 "output $out_name: $piece.sum is missing or unreadable"
    checksum "$piece" || finish 70318 "output $out_name: $piece is missing or unreadable"
  done
  finish 70318 "output $out_name: its pieces cannot be read: $summed"
}

# merged_as: beside its place, or where the job works if only the site's own command brings files to the storage.
choose_merged_as() {
  learn_stage_out
  if [ -n "$stage_words" ]; then temporary=$work.merged-${out_path##*/}; else temporary_for "$out_path"; fi
  merged_as=$temporary
}

concatenate() {
  choose_merged_as
  make_directory "${out_path%/*}" && write_pieces || give_up_merge 60307
  [ "$size" -eq "$pieces_size" ] || {
    rm -f -- "$merged_as"
    finish 70318 "output $out_name: the merged file has $size bytes, its pieces $pieces_size"
  }
  place_merged
}

write_pieces() {
  set --
  IFS=$newline
  for piece in $inputs; do
    set -- "$@" "$piece"
    [ $# -lt "$batch" ] || { cat -- "$@" || { unset IFS; return 1; }; set --; }
  done 2>"$work.storage.err" >"$merged_as"
  copied=$?
  unset IFS
  [ "$copied" -eq 0 ] || return 1
  [ $# -eq 0 ] || cat -- "$@" 2>"$work.storage.err" >>"$merged_as" || return 1
  checksum "$merged_as"
}

give_up_merge() {
  keep_storage_words
  rm -f -- "$merged_as" 2>/dev/null
  finish "$1" "output $out_name: cannot write $out_path: $storage_words"
}

run_merge_command() {
  choose_merged_as
  make_directory "${out_path%/*}" && rm -f -- "$merged_as" 2>"$work.storage.err" || give_up_merge 60307
  printf '%s' "$inputs" >"$work.inputs" || finish 50113 'cannot write the list of inputs'
  run_step "$output" "merge-$out_name" "./outputs/$output/mergeArgv" ./none
  if [ "$step_code" -ne 0 ]; then
    rm -f -- "$merged_as"
    finish "$step_code" "$step_words"
  fi
  [ -f "$merged_as" ] || finish 60302 "output $out_name: the merge command left no file at \$WMS2_OUTPUT"
  checksum "$merged_as" || give_up_merge 60307
  [ "$step_written" = null ] || pieces_events=$step_written
  place_merged
}

# place_new TEMPORARY TARGET, of size and sum: to a free place, or over what an attempt left that never came to its end
# (it noted what it was about to place, and .merged is not there yet).
place_new() {
  if [ -f "$2" ]; then
    new_size=$size new_sum=$sum
    checksum "$2" || return 1
    there="$size $sum $2" size=$new_size sum=$new_sum
    if [ "$there" = "$size $sum $2" ]; then
      rm -f -- "$1"
      return 0
    fi
    if [ -e "$unmerged/.merged" ] || ! grep -Fqx -- "$there" "$unmerged/.placing" 2>/dev/null; then
      rm -f -- "$1"
      finish 70319 "output $out_name: another file stands at $2 already and may be registered: it was not replaced"
    fi
    rm -f -- "$2" 2>"$work.storage.err" || return 1
  fi
  { printf '%s\n' "$size $sum $2" >>"$unmerged/.placing"; } 2>"$work.storage.err" && rename_to "$1" "$2" -n
}

place_merged() {
  if [ -n "$stage_words" ]; then
    put "$merged_as" "$out_path" place_new || finish 60307 "output $out_name: cannot write $out_path: $storage_words"
    rm -f -- "$merged_as"
  else
    place_new "$merged_as" "$out_path" || give_up_merge 60307
  fi
  merged_as=
  joined=-
  case $newline$pieces_lumis in *"$newline-$newline"*) ;; *) joined=$(join_lumis) ;; esac
  add_result "$out_lfn_json" "$out_path" "$out_path_json" "$pieces_events" "$parents" "$joined"
}

copy_pieces() {
  IFS=$newline
  for line in $pieces; do
    unset IFS
    copied_node=${line##* }
    name=$copied_node.$out_file
    line=${line% *}
    put "$unmerged/$name" "$out_path/$name" place_new ||
      finish 60307 "output $out_name: cannot write $out_path/$name: $storage_words"
    json_string "${out_lfn%/}/$name"
    lfn_json=$json
    json_string "$out_path/$name"
    piece_events=${line##* }
    line=${line% *}
    add_result "$lfn_json" "$out_path/$name" "$json" "$piece_events" "$(lfns_of "$copied_node")" "${line##* }"
  done
  unset IFS
}

# The lumis of all pieces together, in order and joined; - when one of the lists is none.
join_lumis() {
  LC_ALL=C awk '
    !/^[{]"[0-9]+":[][{}":,0-9]*[}]$/ { unknown = 1; exit }
    {
      parts = split($0, part, "\"")
      for (i = 2; i < parts; i += 2) {
        run = part[i]
        if (!(run in count)) { order[runs++] = run; count[run] = 0 }
        gsub(/[^0-9,]/, "", part[i + 1])
        split(part[i + 1], number, ",")
        for (j = 1; number[j + 1] != ""; j += 2) {
          for (k = count[run]++; k > 0 && first[run, k - 1] > number[j] + 0; k--) {
            first[run, k] = first[run, k - 1]
            last[run, k] = last[run, k - 1]
          }
          first[run, k] = number[j] + 0
          last[run, k] = number[j + 1] + 0
        }
      }
    }
    END {
      if (unknown || !runs) { print "-"; exit }
      for (i = 0; i < runs; i++) {
        run = order[i]
        printf "%s\"%s\":[", i ? "," : "{", run
        for (k = 0; k < count[run]; k = next_one) {
          end = last[run, k]
          for (next_one = k + 1; next_one < count[run] && first[run, next_one] <= end + 1; next_one++)
            if (last[run, next_one] > end) end = last[run, next_one]
          printf "%s[%.0f,%.0f]", k ? "," : "", first[run, k], end
        }
        printf "]"
      }
      print "}"
    }' <<END
${pieces_lumis%"$newline"}
END
}

# add_result LFN_JSON PATH PATH_JSON EVENTS PARENTS LUMIS, with size and sum of the file. For the catalog, the report, cleanup.
add_result() {
  fields="\"path\":$3,\"sizeBytes\":$size,\"checksum\":\"cksum:$sum\",\"events\":$4"
  lumis=
  [ "$6" = - ] || lumis=",\"runLumis\":$6"
  results="$results{\"output\":\"$out_name\",\"dataset\":$out_dataset_json,\"lfn\":$1,$fields,\"parents\":[$5]$lumis$newline"
  outputs_json="$outputs_json${outputs_json:+,}{\"name\":\"$out_name\",$fields}"
  records="$records${records:+$newline}$out_name $size $2"
}

# The results get their ends, with the checksum that Rucio and DBS want where the node has a program for it: one process
# for all files, as they are where they will be read.
add_adler32() {
  set --
  IFS=$newline
  for line in $records; do
    line=${line#* }
    set -- "$@" "${line#* }"
  done
  adlers=$(adler32 "$@" 2>/dev/null)
  whole=
  for line in $results; do
    adler=${adlers%%"$newline"*}
    case $adlers in *"$newline"*) adlers=${adlers#*"$newline"} ;; *) adlers= ;; esac
    case $adler in
      ????????) line="$line,\"adler32\":\"$adler\"" ;;
    esac
    whole="$whole${whole:+,}$newline$line}"
  done
  unset IFS
  results=$whole
}
