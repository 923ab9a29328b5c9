# json.awk: flattens one JSON document into lines a shell can take apart without evaluating anything.
#
#   PATH <TAB> TYPE <TAB> VALUE <TAB> RAW
#
# PATH   ./steps/0/name; the whole document is "."; in a key, "~" is written ~0 and "/" is written ~1
# TYPE   s string · n number · b true or false · z null · { object · [ array (no VALUE, no RAW)
#        j: the whole value under a path of -v whole=" PATH PATH ", as JSON, in addition to its parts
# VALUE  the text, with backslash, line break, tab and other control characters as printf %b reads them
# RAW    the same value as it stood in the document, ready to be copied into other JSON
#
# -v pick=NODE reads a manifest whose nodes stand on a line each and drops the lines of all other nodes unread,
# so the cost does not grow with the unit. A document in another layout is read whole, with the same result.
#
# -v nodes=FILE writes what is below ./nodes there; of the picked node, what has no parts, the first input, argv and env also come here.
#
# A JSON string cannot span lines, so every line is cut at its quotes: odd pieces are punctuation, even ones
# strings. That keeps the work linear; cutting tokens off the front of a long text would be quadratic.
# Strict otherwise: anything JSON.parse refuses ends with exit 1 and the reason on stderr, as does a NUL, which
# no argument or variable can hold. Run with LC_ALL=C: bytes pass through.

BEGIN {
  want = "value"
  for (i = 1; i < 32; i++) control[i] = sprintf("\\0%03o", i)
  control[9] = "\\t"; control[10] = "\\n"; control[13] = "\\r"
  for (i = 0; i < 16; i++) {
    hex[substr("0123456789abcdef", i + 1, 1)] = i
    hex[substr("0123456789ABCDEF", i + 1, 1)] = i
  }
  short["b"] = control[8]; short["f"] = control[12]; short["n"] = "\\n"; short["r"] = "\\r"; short["t"] = "\\t"
  short["/"] = "/"; short["\""] = "\""; short["\\"] = "\\\\"
}

{
  sub(/\r$/, "")
  if (pick != "" && of_another_node()) next
  pieces = split($0, piece, "\"")
  for (at = 1; at <= pieces; at++) {
    punctuation(piece[at])
    if (at == pieces) break
    text = piece[++at]
    while (ends_in_escape(text) && at < pieces) text = text "\"" piece[++at]
    if (at == pieces) fail("a string is not closed")
    string(text)
  }
}

END {
  if (failed) exit 1
  if (want != "end") fail(NR == 0 ? "the document is empty" : "the document ends too early")
}

function fail(why) {
  if (!failed) print "json: line " NR ": " why > "/dev/stderr"
  failed = 1
  exit 1
}

# True for a line that holds a node other than the picked one. The picked line loses its comma, as no node follows.
function of_another_node(   name) {
  if (!in_nodes) {
    if ($0 ~ /^[ \t]*"nodes"[ \t]*:[ \t]*[{][ \t]*$/) in_nodes = 1
    return 0
  }
  if ($0 !~ /^[ \t]*"[A-Za-z0-9_.-]+"[ \t]*:[ \t]*[{].*[}],?[ \t]*$/) {
    in_nodes = 0
    return 0
  }
  name = $0
  sub(/^[ \t]*"/, "", name)
  sub(/".*/, "", name)
  if (name != pick) return 1
  sub(/,[ \t]*$/, "")
  return 0
}

function ends_in_escape(text,   n) {
  n = length(text)
  while (n > 0 && substr(text, n, 1) == "\\") n--
  return (length(text) - n) % 2
}

function punctuation(text,   i, c, token) {
  token = ""
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (c ~ /[-+.0-9A-Za-z]/) {
      token = token c
      continue
    }
    if (token != "") { scalar(token); token = "" }
    if (c == " " || c == "\t") continue
    if (c == "{" || c == "[") open(c)
    else if (c == "}" || c == "]") close_with(c)
    else if (c == ",") comma()
    else if (c == ":") colon()
    else fail("unexpected " c)
  }
  if (token != "") scalar(token)
}

function open(c,   path) {
  path = value_path()
  keep(c)
  line(path, c "\t\t")
  depth++
  kind[depth] = c
  place[depth] = path
  count[depth] = 0
  want = (c == "{") ? "key or end" : "value or end"
}

function close_with(c) {
  if (depth == 0 || (c == "}") != (kind[depth] == "{")) fail("unexpected " c)
  if (want != "more" && want != "key or end" && want != "value or end") fail("unexpected " c)
  keep(c)
  depth--
  value_done()
}

function comma() {
  if (want != "more") fail("unexpected ,")
  keep(",")
  want = (kind[depth] == "{") ? "key" : "value"
}

function colon() {
  if (want != "colon") fail("unexpected :")
  keep(":")
  want = "value"
}

function scalar(token,   type, path) {
  if (token == "true" || token == "false") type = "b"
  else if (token == "null") type = "z"
  else if (token ~ /^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$/) type = "n"
  else fail("unexpected " token)
  path = value_path()
  keep(token)
  line(path, type "\t" token "\t" token)
  value_done()
}

function string(raw,   value, path) {
  value = decoded(raw)
  if (want == "key" || want == "key or end") {
    keep("\"" raw "\"")
    key = value
    gsub(/~/, "~0", key)
    gsub("/", "~1", key)
    want = "colon"
    return
  }
  path = value_path()
  keep("\"" raw "\"")
  line(path, "s\t" value "\t\"" raw "\"")
  value_done()
}

function value_path(   path) {
  if (want != "value" && want != "value or end") fail("a value where none may stand")
  if (depth == 0) path = "."
  else if (kind[depth] == "[") path = place[depth] "/" count[depth]++
  else path = place[depth] "/" key
  if (whole != "" && index(whole, " " path " ")) { keeping = 1; kept = ""; kept_depth = depth; kept_path = path }
  return path
}

function value_done() {
  want = (depth == 0) ? "end" : "more"
  if (!keeping || depth != kept_depth) return
  keeping = 0
  line(kept_path, "j\t" flat(kept) "\t" kept)
}

function line(path, rest,   part) {
  if (nodes != "" && index(path, "./nodes/") == 1) {
    print path "\t" rest > nodes
    part = substr(path, length("./nodes/" pick) + 1)
    if (index(path, "./nodes/" pick) != 1 || part !~ /^(\/[^\/]+|\/inputs\/0|\/(argv|env)\/.*)?$/) return
  }
  print path "\t" rest
}

function keep(token) { if (keeping) kept = kept token }

function flat(text,   out, i) {
  out = ""
  while (i = index(text, "\\")) {
    out = out substr(text, 1, i) "\\"
    text = substr(text, i + 1)
  }
  return out text
}

function decoded(raw,   out, i, c, code, low) {
  if (raw ~ /[\001-\037]/) fail("a control character in a string")
  out = ""
  while (i = index(raw, "\\")) {
    out = out substr(raw, 1, i - 1)
    c = substr(raw, i + 1, 1)
    raw = substr(raw, i + 2)
    if (c in short) { out = out short[c]; continue }
    if (c != "u") fail("unknown escape \\" c)
    code = four_digits(raw)
    raw = substr(raw, 5)
    if (code >= 55296 && code < 56320 && substr(raw, 1, 2) == "\\u") {
      low = four_digits(substr(raw, 3))
      if (low >= 56320 && low < 57344) {
        code = 65536 + (code - 55296) * 1024 + low - 56320
        raw = substr(raw, 7)
      }
    }
    out = out utf8(code)
  }
  return out raw
}

function four_digits(text,   i, c, code) {
  code = 0
  for (i = 1; i <= 4; i++) {
    c = substr(text, i, 1)
    if (!(c in hex)) fail("\\u needs four hexadecimal digits")
    code = code * 16 + hex[c]
  }
  return code
}

# Half a surrogate pair is no character; it becomes U+FFFD, as everywhere else.
function utf8(code) {
  if (code == 0) fail("a string holds NUL")
  if (code < 32) return control[code]
  if (code == 92) return "\\\\"
  if (code < 128) return sprintf("%c", code)
  if (code >= 55296 && code < 57344) code = 65533
  if (code < 2048) return byte(192 + int(code / 64)) byte(128 + code % 64)
  if (code < 65536) return byte(224 + int(code / 4096)) byte(128 + int(code / 64) % 64) byte(128 + code % 64)
  return byte(240 + int(code / 262144)) byte(128 + int(code / 4096) % 64) byte(128 + int(code / 64) % 64) byte(128 + code % 64)
}

function byte(n) { return sprintf("%c", n) }
