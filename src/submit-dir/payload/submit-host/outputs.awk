# outputs.awk: whether a merge_output.json says what its unit's manifest.json planned: awk -v site=JSON -f outputs.awk
# manifest.json merge_output.json. Exit 0: it does, and the paths of the merged files are printed; 1: something is
# unusual. Texts are compared as they stand: submit-dir/manifest.ts and worker/merge.sh write the same keys in the same
# order, and a bare quote never stands inside a JSON string.

function strange() { bad = 1; exit 1 }
function value(text) { sub(/^[^:]*:/, "", text); sub(/,$/, "", text); return text }
# The text between the two marks.
function between(text, from, to) {
  text = substr(text, index(text, from) + length(from))
  return substr(text, 1, index(text, to) - 1)
}
# expect NODE: the next line is of this output and node; 0: of all nodes.
function expect(i, node, ending) {
  ending = node ? "/" nodes[node] "." file[i] "\"" : "\""
  path[++lines] = place[i] (node ? substr(ending, 1, length(ending) - 1) : "")
  start[lines] = "{\"output\":" name[i] ",\"dataset\":" dataset[i] ",\"lfn\":\"" lfn[i] ending ",\"path\":\"" place[i] ending ",\"sizeBytes\":"
  from[lines] = node
}
# add NODE LFN: each once.
function add(node, one) { if (!((node, one) in seen)) { seen[node, one]; input[node, ++inputs[node]] = one } }

FNR == 1 { part++ }

part == 1 && /^"unit":/ { unit = value($0) }
part == 1 && /^"block":/ { block = value($0) }
part == 1 && /^"outputs":\[/ {
  count = split($0, entry, /[{]"name":/)
  for (i = 2; i <= count; i++) {
    if (!index(entry[i], ",\"keep\":true,\"dataset\":")) continue
    name[++outputs] = substr(entry[i], 1, index(entry[i], ",\"file\":") - 1)
    file[outputs] = index(entry[i], "\",\"merge\":\"none\",\"mergeArgv\":") ? between(entry[i], ",\"file\":\"", "\",\"merge\":") : ""
    dataset[outputs] = between(entry[i], ",\"dataset\":", ",\"lfn\":\"")
    lfn[outputs] = between(entry[i], ",\"lfn\":\"", "\",\"path\":\"")
    place[outputs] = between(entry[i], "\",\"path\":\"", "\"}")
  }
}
part == 1 && /^"[^"]*":[{]"inputs":\[/ {
  nodes[++node] = between($0, "\"", "\":")
  count = split($0, entry, /[{]"lfn":"/)
  for (i = 2; i <= count; i++) {
    one = substr(entry[i], 1, index(entry[i], "\",\"path\":") - 1)
    add(0, one)
    add(node, one)
  }
}
part == 1 { next }

FNR == 1 {
  for (i = 1; i <= outputs; i++)
    if (file[i] == "") expect(i, 0)
    else for (j = 1; j <= node; j++) expect(i, j)
  named = index($0, ",\"site\":null,") ? "null" : site # a job need not know where it is
  head = "{\"version\":1,\"unit\":" unit ",\"block\":" block ",\"site\":" named ",\"events\":"
  if (index($0, head) != 1 || substr($0, length(head) + 1) !~ /^[0-9]+,"outputs":\[$/ || length($0) > length(head) + 28) strange()
  next
}
$0 == "]}" && FNR == lines + 2 { whole = 1; next }
whole || FNR > lines + 1 { strange() }
{
  here = FNR - 1
  rest = substr($0, length(start[here]) + 1)
  if (index($0, start[here]) != 1 || !match(rest, /^[0-9]+,"checksum":"cksum:[0-9]+","events":(null|[0-9]+),"parents":\[/) || RLENGTH > 86) strange()
  rest = substr(rest, RLENGTH + 1)
  # What nothing was planned about: how it looks is all that can be checked.
  sub(/,"adler32":"[0-9a-f]+"[}]/, "}", rest)
  sub(/,"runLumis":[{][][{}":,0-9]*[}][}]/, "}", rest)
  count = inputs[from[here]] + 0
  if (!sub(/\][}],?$/, "", rest) || count && !sub(/^"/, "", rest) || count && !sub(/"$/, "", rest)) strange()
  if (split(rest, entry, /","/) != count) strange()
  for (i = 1; i <= count; i++) if (entry[i] != input[from[here], i]) strange()
}

END {
  if (bad || !whole) exit 1
  for (i = 1; i <= lines; i++) print path[i]
}
