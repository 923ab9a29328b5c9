# The job of FailingRequest: $1 is its directory. Notes where it ran, waits at its gate, then fails if it is told to.
set -eu
input=$(head -n 1 "$WMS2_INPUT_LIST")
name=${input##*/}
umask 0
echo "${WMS2_SITE-none}" >>"$1/ran/$name"
how= times=0
while read -r how times 2>/dev/null <"$1/fail/$name" && [ "$how" = gate ]; do sleep 0.2; done
if [ -n "$how" ] && [ "$how" != gate ] && [ "$times" -gt 0 ]; then
  echo "$how $((times - 1))" >"$1/fail/$name"
  [ "$how" = kill ] && kill -9 $$
  # A code the shell cannot carry is told as cmsRun would tell it.
  if [ "$how" -gt 255 ]; then
    echo "exit_code=$how" >>"$WMS2_STEP_REPORT"
    exit 1
  fi
  exit "$how"
fi
if [ -f "$1/bad-site/${WMS2_SITE-none}" ]; then
  read -r code <"$1/bad-site/$WMS2_SITE"
  echo "exit_code=$code" >>"$WMS2_STEP_REPORT"
  exit 1
fi
cp "$input" out.txt
