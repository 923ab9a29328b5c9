# quote.awk: prints the environment's variable `text` as a JSON string. Run with LC_ALL=C: bytes pass through.
BEGIN {
  for (i = 1; i < 32; i++) escape[sprintf("%c", i)] = sprintf("\\u%04x", i)
  escape["\n"] = "\\n"; escape["\t"] = "\\t"; escape["\r"] = "\\r"; escape["\""] = "\\\""; escape["\\"] = "\\\\"
  text = ENVIRON["text"]
  out = ""
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    out = out ((c in escape) ? escape[c] : c)
  }
  print "\"" out "\""
}
