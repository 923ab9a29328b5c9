# shellcheck shell=bash
# The commands of `pool` which may take their time. Sourced by ../pool, whose variables and functions it uses.

# A new number for a new recipe: an old rootfs is then left alone and `pool wipe` removes it.
rootfs_dir=$pool_dir/rootfs-1
boot_log=$pool_dir/boot.log
provision_log=$pool_dir/provision.log
sites=3

pool_up() {
  mkdir -p "$pool_dir"
  lock
  local share_list node
  if ! running; then
    find_condor
    start
  fi
  if ((EUID == 0)); then
    IFS=: read -ra share_list <<<"${WMS2_POOL_SHARE-}"
    if node=$(command -v node); then share_list+=("$node" "$(realpath "$node")"); fi
    share /tmp /var/tmp "$project" "${share_list[@]}"
    [[ -z $node ]] || inside "$node" --version >/dev/null ||
      say "warning: $node does not run inside the pool; scripts written for node will fail there"
  fi
  until_answering
  pool_status
}

pool_install() {
  mkdir -p "$pool_dir"
  lock
  running || find_condor
}

pool_down() {
  [[ -d $pool_dir ]] || return 0
  lock
  if running; then
    # SIGQUIT is HTCondor's fast shutdown: jobs are killed and stay in the queue.
    kill -QUIT "$pid"
    gone_within 15 || { kill -KILL "$pid"; gone_within 15 || die 1 "process $pid does not end"; }
  fi
  rm -f "$state_dir/running"
}

pool_wipe() {
  pool_down
  rm -rf --one-file-system "$pool_dir"
}

pool_prefix() {
  if [[ ${1-} == --json ]]; then
    json_prefix
    printf '\n'
  else
    printf '%q exec\n' "$project/scripts/pool"
  fi
}

pool_status() {
  local version='' slots='' state=down name cores memory
  if running; then
    state='not answering'
    version=$(inside condor_version 2>/dev/null | sed -n '1s/^[^0-9]*\([0-9.]*\).*/\1/p') || true
    if slots=$(slots_by_site) && inside condor_q -totals >/dev/null 2>&1; then state=up; fi
  fi
  if [[ ${1-} == --json ]]; then
    json_status
  elif [[ $state == down ]]; then
    printf 'pool        down (%s)\n' "$pool_dir"
  else
    printf 'pool        %s\nprocess     %s\nHTCondor    %s\njobs run as %s (uid %s, gid %s)\n' \
      "$state" "$pid" "$version" "$user" "$uid" "$gid"
    while read -r name cores memory; do
      printf 'site        %s: %s cores, %s MB\n' "$name" "$cores" "$memory"
    done <<<"$slots"
    printf 'logs        %s, %s\nprefix      %s\n' "$state_dir/log" "$boot_log" "$(pool_prefix)"
    printf 'spools      where uid %s may go, and not below /tmp; for example: wms2 serve --data-dir /var/tmp/wms2\n' "$uid"
  fi
  [[ $state == up ]]
}

# Uses the variables of pool_status. Paths come from us and site names from condor.conf; a backslash or a
# quote in a path is the only thing that needs escaping.
json_status() {
  local sep=''
  if [[ $state == down ]]; then
    printf '{"up":false,"pid":null,"version":null,"sites":[],"uid":null,"gid":null,"logs":null,"prefix":'
  else
    [[ $state == up ]] && printf '{"up":true' || printf '{"up":false'
    printf ',"pid":%s,"version":"%s","sites":[' "$pid" "$version"
    while read -r name cores memory; do
      [[ -n $name ]] || continue
      printf '%s{"name":"%s","cores":%s,"memoryMb":%s}' "$sep" "$name" "$cores" "$memory"
      sep=,
    done <<<"$slots"
    printf '],"uid":%s,"gid":%s,"logs":%s,"prefix":' "$uid" "$gid" "$(json_string "$state_dir/log")"
  fi
  json_prefix
  printf '}\n'
}

json_prefix() { printf '[%s,"exec"]' "$(json_string "$project/scripts/pool")"; }

json_string() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

# One line per site: name, cores, memory in MB.
slots_by_site() {
  inside condor_status -constraint PartitionableSlot -sort GLIDEIN_CMSSite \
    -af GLIDEIN_CMSSite TotalSlotCpus TotalSlotMemory 2>/dev/null
}

inside() { (cd / && exec "$project/scripts/pool" exec "$@"); }

# Where HTCondor comes from: the PATH, else our own Debian rootfs (made now if need be). Sets root.
find_condor() {
  root=/
  ((EUID)) || unshare --mount --pid --fork true 2>/dev/null ||
    die 3 'this root may not make namespaces (unshare): in a container, start it with --privileged'
  if command -v condor_master >/dev/null && command -v condor_submit_dag >/dev/null; then
    ((EUID)) || getent passwd 1000 >/dev/null ||
      die 3 'jobs need an owner who is not root: create one with "useradd -m -u 1000 wms"'
    return
  fi
  root=$rootfs_dir
  [[ ! -d $root ]] || return 0
  local why='HTCondor (condor_master, condor_submit_dag) is not on the PATH'
  ((EUID == 0)) || die 3 "$why, and only root can install one into a cache. Install HTCondor, or run as root"
  command -v debootstrap >/dev/null || install_debootstrap ||
    die 3 "$why, and debootstrap could not be installed. Install either; the log is $provision_log"

  say "installing HTCondor into $root (about a minute; log: $provision_log)"
  # It keeps our lock (9): should we be killed, the next "up" waits for it instead of starting a second one.
  unshare --mount --pid --fork --kill-child --propagation private -- \
    "$project/scripts/pool.d/provision" "$root" </dev/null >"$provision_log" 2>&1 ||
    fail_with "$provision_log" 'HTCondor could not be installed'
}

install_debootstrap() {
  command -v apt-get >/dev/null || return 1
  say 'installing debootstrap'
  { apt-get update && apt-get install --yes --no-install-recommends debootstrap; } >"$provision_log" 2>&1
}

start() {
  local boot=("$project/scripts/pool.d/boot" "$state_dir" "$root" "$(free_port)") parent
  ((EUID)) || boot=(unshare --mount --pid --fork --kill-child --propagation slave -- "${boot[@]}")
  rm -f "$state_dir/running"
  # The lock (9) must not stay with the daemons.
  setsid --wait "${boot[@]}" </dev/null >"$boot_log" 2>&1 9>&- &
  parent=$!
  disown
  until running; do
    kill -0 "$parent" 2>/dev/null || fail_with "$boot_log" 'the pool ended at its start'
    sleep 0.05
  done
}

# The first free port from 19618 on, so that pools with different WMS2_POOL_DIR can live side by side.
free_port() {
  local port=19618
  while (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do ((port++)); done
  echo "$port"
}

until_answering() {
  local deadline=$((SECONDS + 60)) slots
  until slots=$(slots_by_site) && (($(wc -l <<<"$slots") == sites)) && inside condor_q -totals >/dev/null 2>&1; do
    running || fail_with "$state_dir/log/MasterLog" 'the pool went down again'
    ((SECONDS < deadline)) || fail_with "$state_dir/log/MasterLog" 'the pool does not answer after 60 s'
    sleep 0.1
  done
}

gone_within() {
  local deadline=$((SECONDS + $1))
  while [[ -d /proc/$pid ]]; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

lock() {
  exec 9>"$pool_dir/lock"
  flock --nonblock 9 || { say 'waiting for another "pool up" or "pool down"'; flock 9; }
}

fail_with() {
  tail -n 25 "$1" >&2 || true
  die 3 "$2; the whole log is $1"
}
