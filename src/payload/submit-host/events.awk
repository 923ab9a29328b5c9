# events.awk: what an HTCondor event log says of one cluster (-v cluster=N).
#
#   site NAME · held CODE SUBCODE WORDS · removed WORDS          the last of each; nothing that was not said
#
# An event begins "001 (123.000.000) date time words", the cluster padded to three digits, and ends with "...".
# A hold that was released again does not count. Words are made fit for a JSON string.

/^[0-9][0-9][0-9] \(/ {
  split($2, id, /[(.]/)
  sub(/^0+/, "", id[2]) # as text: some awks read 037 as octal
  event = (id[2] "" == cluster "") ? $1 : ""
  lines = 0
  if (event == "001") site = ""
  if (event == "001" || event == "013") held = ""
  next
}
event == "" { next }
$0 == "..." { event = ""; next }
event == "001" && $1 == "GLIDEIN_CMSSite" && $2 == "=" {
  site = $0
  sub(/^[^"]*"/, "", site)
  sub(/"[ \t]*$/, "", site)
}
event == "012" || event == "009" { lines++ }
event == "012" && lines == 1 { words = clean($0); held = "0 0 " words }
event == "012" && $1 == "Code" && $3 == "Subcode" { held = ($2 + 0) " " ($4 + 0) " " words }
event == "009" && lines == 1 { removed = clean($0) }

END {
  if (site != "") print "site " site
  if (held != "") print "held " held
  if (removed != "") print "removed " removed
}

function clean(text) {
  gsub(/[\\"]/, "'", text)
  gsub(/[\001-\037\177]+/, " ", text)
  gsub(/^ +| +$/, "", text)
  return substr(text, 1, 300)
}
