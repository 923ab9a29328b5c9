# The job of FailingRequest: $1 is its directory. Notes where it ran, then fails if it is told to.
set -eu
input=$(head -n 1 "$WMS2_INPUT_LIST")
name=${input##*/}
umask 0
echo "${WMS2_SITE-none}" >>"$1/ran/$name"
if [ -f "$1/fail/$name" ]; then
  read -r how times <"$1/fail/$name"
  if [ "$how" = slow ]; then
    sleep "$times"
  elif [ "$times" -gt 0 ]; then
    echo "$how $((times - 1))" >"$1/fail/$name"
    [ "$how" = kill ] && kill -9 $$
    # A code the shell cannot carry is told as cmsRun would tell it.
    if [ "$how" -gt 255 ]; then
      echo "exit_code=$how" >>"$WMS2_STEP_REPORT"
      exit 1
    fi
    exit "$how"
  fi
fi
if [ -f "$1/bad-site/${WMS2_SITE-none}" ]; then
  read -r code <"$1/bad-site/$WMS2_SITE"
  echo "exit_code=$code" >>"$WMS2_STEP_REPORT"
  exit 1
fi
cp "$input" out.txt
