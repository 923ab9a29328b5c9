# site.awk: the site of the last execution of one cluster (-v cluster=N), from an HTCondor event log.
#
# An event begins "001 (123.000.000) date time words", the cluster padded to three digits, and ends with "...".

/^[0-9][0-9][0-9] \(/ {
  split($2, id, /[(.]/)
  sub(/^0+/, "", id[2]) # as text: some awks read 037 as octal
  event = (id[2] "" == cluster "") ? $1 : ""
  if (event == "001") site = ""
  next
}
$0 == "..." { event = ""; next }
event == "001" && $1 == "GLIDEIN_CMSSite" && $2 == "=" {
  site = $0
  sub(/^[^"]*"/, "", site)
  sub(/"[ \t]*$/, "", site)
}

END { if (site != "") print site }
