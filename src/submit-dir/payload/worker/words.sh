# words.sh: text. Every function leaves its result in a variable named in its comment, because a command
# substitution costs a process and a job calls these dozens of times.

say() { printf 'wms2: %s\n' "$*" >&2; }

# ADR 11: what may become part of a file name.
is_name() {
  case $1 in
    '' | [!A-Za-z0-9]* | *[!A-Za-z0-9_.-]*) return 1 ;;
  esac
  [ ${#1} -le 200 ]
}

is_number() { case $1 in '' | *[!0-9]*) return 1 ;; esac; }

# json: $1 as a JSON string, quotes included. All JSON strings that are not copied from the manifest come from here.
json_string() {
  case $1 in
    *[\\\"[:cntrl:]]*)
      json=$(text=$1 LC_ALL=C awk "$quote_awk") || json='"?"'
      ;;
    *) json="\"$1\"" ;;
  esac
}

# value: the text behind a VALUE of json.awk. The dot keeps trailing line breaks from being stripped.
plain() {
  value=$1
  case $1 in
    *\\*)
      value=$(printf '%b.' "$1")
      value=${value%.}
      ;;
  esac
}

# centiseconds: time that only moves forward. Falls back to the wall clock where there is no /proc.
read_clock() {
  if IFS=' ' read -r uptime _ 2>/dev/null </proc/uptime; then
    hundredths=${uptime#*.}
    centiseconds=$((${uptime%%.*} * 100 + 1$hundredths - 100))
  else
    centiseconds=$(($(date +%s) * 100))
  fi
}

# seconds: $1 centiseconds as a JSON number.
as_seconds() { seconds=$(($1 / 100)).$(($1 % 100 / 10))$(($1 % 10)); }

# first_line: the first line of a file, shortened; empty when there is none. For words of failed commands.
read_first_line() {
  first_line=
  if [ -s "$1" ]; then first_line=$(head -n 1 "$1" | cut -c 1-300); fi
}
