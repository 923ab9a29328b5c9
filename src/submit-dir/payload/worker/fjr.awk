# fjr.awk: what a FrameworkJobReport.xml says, tolerant of everything but a root that was never closed.
#
#   closed 1 · code N · read N · written N · rss MB · threads N · start SECONDS · opened N · skipped N · file EVENTS LUMIS NAME
#
# code: of the first FrameworkError that has one; 8001 if it has no ExitStatus, 99999 if it is no number.
# read: over primary inputs only, mixing files would inflate it. written: files of one module add up, of several
# modules the largest counts, as each holds the same events in another form. LUMIS: {"run":[[first,last],…],…} of that file,
# - where it names none. Records end at ">", so a record is
# some text and a tag; a ">" within quotes, a comment or CDATA joins records.

BEGIN { RS = ">"; written = -1; read_events = -1; code = ""; files = 0 }

{
  if (in_cdata) {
    if ($0 ~ /\]\]$/) in_cdata = 0
    next
  }
  if (in_comment) {
    if ($0 ~ /--$/) in_comment = 0
    next
  }
  if (pending != "") {
    $0 = pending ">" $0
    pending = ""
  }
  start = index($0, "<")
  if (!start) next
  text = substr($0, 1, start - 1)
  tag = substr($0, start + 1)
  if (substr(tag, 1, 8) == "![CDATA[") { if ($0 !~ /\]\]$/) in_cdata = 1; next }
  if (substr(tag, 1, 3) == "!--") { if ($0 !~ /--$/) in_comment = 1; next }
  copy = tag
  if (gsub(/"/, "", copy) % 2) { pending = $0; next }
  gsub(/[\r\n\t]/, " ", tag)
  name = tag
  sub(/[ \/].*/, "", name)
  if (substr(tag, 1, 1) == "/") closing(substr(tag, 2), text)
  else opening(name, tag)
}

END {
  if (root && root_closed) print "closed 1"
  if (code != "") print "code " code
  else if (errors) print "code 99999"
  if (read_events >= 0) printf "read %.0f\n", read_events
  for (module in by_module) if (by_module[module] > written) written = by_module[module]
  if (written >= 0) printf "written %.0f\n", written
  if (rss > 0) printf "rss %.0f\n", rss + 0.4999
  if (threads >= 1) printf "threads %.0f\n", threads
  if (start_up > 0) printf "start %.2f\n", start_up
  print "opened " opened + 0
  print "skipped " skipped + 0
  for (i = 0; i < files; i++) { printf "file %.0f ", file_events[i]; print file_lumis[i], file_name[i] }
}

function opening(name, tag,   status) {
  if (name == "FrameworkJobReport") root = 1
  else if (name == "InputFile" || name == "File") { within = name; number = ""; kind = "primaryFiles"; module = ""; pfn = ""; run = ""; runs = 0; split("", listed); split("", last) }
  else if (name == "Run") run = attribute(tag, "ID")
  else if (name == "LumiSection") add_lumi(run, attribute(tag, "ID"))
  else if (name == "SkippedFile") skipped++
  else if (name == "FrameworkError") {
    errors++
    status = (tag ~ /[ ]ExitStatus[ ]*=/) ? attribute(tag, "ExitStatus") : "8001"
    if (code == "" && is_numeric(status) && status + 0 >= 1 && status + 0 < 1e9) code = sprintf("%d", status)
  }
  else if (name == "PerformanceSummary") summary = attribute(tag, "Metric")
  else if (name == "Metric") add_metric(summary "." attribute(tag, "Name"), tag)
}

# Of one that is told twice, the last that is a number.
function add_metric(name, tag,   value) {
  if (name != "ApplicationMemory.PeakValueRss" && name != "Timing.NumberOfThreads" && name != "Timing.TotalInitTime") return
  value = attribute(tag, "Value")
  if (!is_numeric(value) || value + 0 >= 1e9) return
  if (name == "Timing.NumberOfThreads") threads = value + 0
  else if (name == "Timing.TotalInitTime") start_up = value + 0
  else rss = value + 0
}

# As cmsRun prints them: 12, 12.5, 1e+06; not nan.
function is_numeric(text) { return text ~ /^[0-9]+([.][0-9]*)?([eE][-+]?[0-9]+)?$/ }

function closing(name, text) {
  sub(/[ ].*/, "", name)
  gsub(/^[ \t\r\n]+|[ \t\r\n]+$/, "", text)
  if (name == "FrameworkJobReport") root_closed = 1
  else if (name == "EventsRead" || name == "TotalEvents") number = is_numeric(text) ? text + 0 : ""
  else if (name == "PerformanceSummary") summary = ""
  else if (name == "InputType") kind = text == "" ? "primaryFiles" : text
  else if (name == "ModuleLabel") module = text
  else if (name == "PFN" && within == "File" && pfn == "") pfn = text
  else if (name == within && name == "InputFile") {
    if (kind == "primaryFiles") {
      opened++
      if (number != "") read_events = (read_events < 0 ? 0 : read_events) + number
    }
    within = ""
  }
  else if (name == within && name == "File") {
    if (number != "") {
      by_module[module] += number
      sub(/^file:/, "", pfn)
      if (pfn !~ /\n/) {
        file_events[files] = number
        file_lumis[files] = runs == 0 ? "-" : all_lumis()
        file_name[files++] = pfn
      }
    }
    within = ""
  }
}

# Neighbours are joined; whoever wants them in order sorts them.
function add_lumi(run, id) {
  if (within != "File" || run id !~ /^[0-9]+$/ || run == "" || id == "" || length(run) > 15 || length(id) > 15) return
  if (!(run in last)) { run_of[++runs] = run; listed[run] = "[" id "," }
  else if (id + 0 != last[run] + 1) listed[run] = listed[run] last[run] "],[" id ","
  last[run] = id
}

function all_lumis(   i, text) {
  text = "{"
  for (i = 1; i <= runs; i++) text = text (i > 1 ? "," : "") "\"" run_of[i] "\":[" listed[run_of[i]] last[run_of[i]] "]]"
  return text "}"
}

function attribute(tag, name,   value, quote) {
  value = tag
  if (!match(value, "[ ]" name "[ ]*=[ ]*[\"\047]")) return ""
  quote = substr(value, RSTART + RLENGTH - 1, 1)
  value = substr(value, RSTART + RLENGTH)
  if (index(value, quote)) value = substr(value, 1, index(value, quote) - 1)
  gsub(/^ +| +$/, "", value)
  return value
}
