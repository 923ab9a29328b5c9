# landing.awk: the last landing job in an HTCondor event log, on one line: its cluster; how it ended, as DAGMan's $RETURN has
# it (the exit code, minus the signal, -1002 removed; - for not yet); "=" and the site of its last execution.
#
# An event begins "001 (123.000.000) date time words", the cluster padded to three digits, and ends with "...".

/^[0-9][0-9][0-9] \(/ {
  split($2, id, /[(.]/)
  sub(/^0+/, "", id[2]) # as text: some awks read 037 as octal
  event = (id[2] "" == cluster "" || $1 == "000") ? $1 : ""
  if (event == "001") site = ""
  if (event == "009") returned = -1002
  next
}
$0 == "..." { event = ""; next }
event == "000" && $1 == "DAG" && $2 == "Node:" && $3 == "landing" { cluster = id[2]; returned = "-"; site = "" }
event == "001" && $1 == "GLIDEIN_CMSSite" && $2 == "=" {
  site = $0
  sub(/^[^"]*"/, "", site)
  sub(/"[ \t]*$/, "", site)
}
event == "005" && /^[ \t]*\([01]\) (Normal|Abnormal) termination \(/ {
  returned = $NF
  sub(/\).*/, "", returned)
  if ($2 == "Abnormal") returned = -returned
}

END { if (cluster != "") print cluster, returned, "=" site }
