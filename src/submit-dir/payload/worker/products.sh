# products.sh: a job that makes products of a model run, one after the other (docs/adr/0019-segments.md). Each is made under
# another name in its folder, verified, and renamed; what is there under its name has been verified. The report tells what
# each was made of, the one that failed last, without what it makes.

products_json=

run_products() {
  product=0
  while load_product; do
    look_for_lock
    look_for_inputs
    if [ "$product_keep" = true ] && are_made; then say "$product_id is there and passes its check"; else make_product; fi
    tell_product
    product=$((product + 1))
  done
  [ "$product" -gt 0 ] || finish 50113 "manifest.json names no product for $node"
  finish 0
}

# flat: what the manifest says of this product; false after the last one.
load_product() {
  product_id= product_id_json= product_keep= partial_suffix= product_outputs=0 history_json= chunks_json=
  product_path=./nodes/$node/products/$product
  flat=$(LC_ALL=C awk -v prefix="$product_path/" 'index($0, prefix) == 1' "$work.nodes")
  [ -n "$flat" ] || return 1
  IFS=$newline
  for line in $flat; do
    split_line "$line"
    case ${path#"$product_path"} in
      /id) product_id=$value product_id_json=$raw ;;
      /keep) product_keep=$value ;;
      /partialSuffix) partial_suffix=$value ;;
      /makes/*) product_outputs=$((product_outputs + 1)) ;;
    esac
  done
  unset IFS
}

# field: the value at $1 below the product; empty where there is none.
read_field() {
  field=
  IFS=$newline
  for line in $flat; do
    case $line in "$product_path/$1$tab"*) ;; *) continue ;; esac
    split_line "$line"
    [ "$type" = z ] || field=$value
  done
  unset IFS
}

# frepp's stager may have begun the same transfer since this one was planned: one writer at a time.
look_for_lock() {
  read_field stager/directory
  [ -n "$field" ] || return 0
  stager=$field
  read_field stager/date
  set +f
  set -- "$stager"/*.output.stager."$field".H.args.lock
  set -f
  [ ! -e "$1" ] || fail_product 50122 "frepp's stager has it: $1 is there"
}

# History that is not there, or still arrives, is nobody's error: the product waits for it. A chunk is said to be there.
look_for_inputs() {
  changes=
  look_at_files "products/$product/history"
  history_json=$files_json
  [ "$absent" -eq 0 ] || fail_product 50118 "history is not there: $first_absent$(and_others_of 'what it reads')"
  partial_of_history || fail_product 50118 "history has not arrived whole: $full is there"
  look_at_files "products/$product/reads"
  chunks_json=$files_json
  [ "$absent" -eq 0 ] || fail_product 50121 "a chunk it is made of is not there: $first_absent$(and_others_of 'them')"
}
and_others_of() { [ "$absent" -eq 1 ] || printf ' and %d more of %s' $((absent - 1)) "$1"; }

# False: `full` is a part of a history file that is on its way.
partial_of_history() {
  [ -n "$partial_suffix" ] || return 0
  IFS=$newline
  for line in $flat; do
    case $line in "$product_path/history/"*) ;; *) continue ;; esac
    split_line "$line"
    full_path "$value$partial_suffix"
    [ ! -e "$full" ] || { unset IFS; return 1; }
  done
  unset IFS
}

make_product() {
  job_name=$product_id
  each_product_output clear_place
  run_step "$product" job "$product_path/argv" "$product_path/env"
  [ "$step_code" -eq 0 ] || finish_product "$step_code" "$step_words"
  [ "$stopped" -eq 0 ] || finish 143 "stopped by SIGTERM after $product_id was made"
  each_product_output check_made
  each_product_output rename_made
}

# What the command means by its code is the request's to say.
finish_product() {
  read_field "codes/$1"
  [ -n "$field" ] || { [ "$1" -gt 128 ] || read_field codes/other; }
  fail_product "${field:-$1}" "$2"
}

# each_product_output DO: for each, with its paths: final, and aside, the name it is made under (the same where the command itself
# gives the final name to what is whole).
each_product_output() {
  output=0
  while [ "$output" -lt "$product_outputs" ]; do
    read_field "makes/$output"
    full_path "$field"
    final=${full%/} is_folder=
    [ "$final" = "$full" ] || is_folder=1
    read_field "aside/$output"
    aside=$final
    [ -z "$field" ] || { full_path "$field"; aside=$full; }
    "$1" || return 1
    output=$((output + 1))
  done
}

# What an earlier attempt left must not be taken for what this one makes.
clear_place() {
  make_directory "${final%/*}" || { keep_storage_words; fail_product 60307 "cannot make the directory of $final: $storage_words"; }
  [ "$aside" = "$final" ] || rm -rf -- "$aside"
  [ -z "$is_folder" ] || make_directory "$aside" || { keep_storage_words; fail_product 60307 "cannot make $aside: $storage_words"; }
}

check_made() { check_output "$aside" || fail_product "$wrong_code" "$wrong"; }
rename_made() {
  [ -z "$is_folder" ] || [ ! -d "$final" ] || { rm -rf -- "$aside.old" && mv -- "$final" "$aside.old"; } 2>"$work.storage.err" || { keep_storage_words; fail_product 60307 "cannot put $final aside: $storage_words"; }
  [ "$aside" = "$final" ] || rename_to "$aside" "$final" || { keep_storage_words; fail_product 60307 "cannot rename what was made to $final: $storage_words"; }
  [ -z "$is_folder" ] || rm -rf -- "$aside.old"
}
are_made() { each_product_output is_made; }
is_made() { [ -e "$final" ] && check_output "$final"; }

# check_output FILE: it is there, large enough, and has as many time levels as it should. False: `wrong` says what is not so.
check_output() {
  [ -e "$1" ] || { wrong_code=60302 wrong="the command ended well and did not make $1"; return 1; }
  wrong_code=50119
  if [ -n "$is_folder" ]; then check_folder "$1" || return 1; else bytes=$(wc -c <"$1") || bytes=0; fi
  read_field "least/$output"
  [ "$((bytes))" -ge "${field:-0}" ] || { wrong="$1 has $((bytes)) bytes, less than $field"; return 1; }
  read_field "expected/$output"
  [ -n "$field" ] || return 0
  expected=$field
  counted=$(count_levels "$1" 2>"$work.levels.err") || { read_first_line "$work.levels.err"; wrong="the time levels of $1 cannot be counted: ${first_line:-the command failed}"; return 1; }
  [ "$counted" = "$expected" ] || { wrong="$1 has ${counted:-no} time levels, and should have $expected"; return 1; }
}

# check_folder FOLDER: as many files as it must have, none of them empty. bytes: of all of them.
check_folder() {
  [ -d "$1" ] || { wrong="$1 is no folder"; return 1; }
  empty=$(LC_ALL=C find "$1" -type f -size 0 -print | head -n 1)
  [ -z "$empty" ] || { wrong="$empty is empty"; return 1; }
  set -- "$1" $(LC_ALL=C find "$1" -type f -printf '%s\n' | awk '{ bytes += $1 } END { printf "%d %.0f", NR, bytes }')
  bytes=$3
  read_field "files/$output"
  [ "$2" -ge "${field:-1}" ] || { wrong="$1 has $2 files, less than ${field:-1}"; return 1; }
}

# The request's command, with the file in the place of {output}.
count_levels() {
  file=$1
  set --
  IFS=$newline
  for line in $flat; do
    case $line in "$product_path/levels/$output/"*) ;; *) continue ;; esac
    split_line "$line"
    case $value in *'{output}'*) value=${value%%'{output}'*}$file${value#*'{output}'} ;; esac
    set -- "$@" "$value"
  done
  unset IFS
  enter_with "$@"
}

fail_product() {
  tell "\"exitCode\":$1"
  finish "$1" "$product_id: $2"
}

# tell MORE: adds this product to the report.
tell() {
  entry="{\"id\":$product_id_json,\"history\":[$history_json],\"reads\":[$chunks_json],$1}"
  products_json=$products_json${products_json:+,$newline}$entry
}

tell_product() {
  # Of what a transfer brought nobody needs a checksum: it is large.
  read_field aside/0
  [ -z "$field" ] || changes=contents
  look_at_files "products/$product/makes"
  tell "\"makes\":[$files_json]"
  reads_json=$reads_json${reads_json:+${chunks_json:+,}}$chunks_json
  makes_json=$makes_json${makes_json:+${files_json:+,}}$files_json
}
