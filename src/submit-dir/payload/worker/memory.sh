# memory.sh: the memory of a step and all its children, from Linux's /proc, without a process of its own per look.

# tree: the pids below process $1, itself not included. Threads can have children too, hence task/*.
find_tree() {
  tree=
  look_at=$1
  set +f
  while [ -n "$look_at" ]; do
    found=
    for parent in $look_at; do
      for list in /proc/"$parent"/task/*/children; do
        # The process may be gone, and the file ends without a line break: read fails, what it read counts.
        children=
        read -r children 2>/dev/null <"$list"
        found="$found $children"
      done
    done
    look_at=${found# }
    look_at=${look_at% }
    case $look_at in *[!\ ]*) tree="$tree $look_at" ;; *) break ;; esac
  done
  set -f
}

# signal_tree PID SIGNAL: false when there is nothing below PID, perhaps not yet.
signal_tree() {
  unset IFS
  if [ -e "/proc/$1/task/$1/children" ]; then find_tree "$1"; else find_tree_by_ps "$1"; fi
  case $tree in *[0-9]*) ;; *) return 1 ;; esac
  # Unquoted: one word per pid. Some may have ended since.
  kill -s "$2" $tree 2>/dev/null
  return 0
}

# For kernels without the lists of children, and for no /proc at all. Too slow to watch memory with.
find_tree_by_ps() {
  tree=$(ps -A -o pid= -o ppid= | awk -v root="$1" '
    { parent[$1] = $2 }
    END {
      for (pid in parent) {
        for (up = parent[pid]; up in parent && up != root && up != parent[up]; up = parent[up]);
        if (up == root) printf "%s ", pid
      }
    }')
}

# peak_kb: the larger of all that the tree holds now and the most that any one process in it ever held.
look_at_memory() {
  find_tree "$1"
  sum_kb=0
  for pid in $tree; do
    while read -r key kb _; do
      case $key in
        VmHWM:) [ "$kb" -le "$peak_kb" ] || peak_kb=$kb ;;
        VmRSS:) sum_kb=$((sum_kb + kb)); break ;;
      esac
    done 2>/dev/null <"/proc/$pid/status"
  done 2>/dev/null
  [ "$sum_kb" -le "$peak_kb" ] || peak_kb=$sum_kb
}

# watch_memory PID END FILE: looks often at first, for short steps, and every five seconds later. Writes the peak
# to FILE once, after USR1. The caller lets us ignore USR1 until the trap stands; if it came before, END exists after
# the first nap. A sleep that knows no fractions fails at once, which only means looking a few times more.
watch_memory() {
  root=$1 end=$2 file=$3 peak_kb=0 nap='' leave=''
  trap 'leave=1; [ -z "$nap" ] || kill "$nap"' USR1
  set -- 0.01 0.02 0.04 0.08 0.15 0.3 0.5 1 1 2 3
  while [ -z "$leave" ] && [ ! -e "$end" ]; do
    sleep "${1:-5}" &
    nap=$!
    [ -z "$leave" ] || kill "$nap"
    wait "$nap"
    nap=
    [ -n "$leave" ] || look_at_memory "$root"
    [ $# -eq 0 ] || shift
  done
  printf '%s\n' "$peak_kb" >"$file"
}

# cgroup_mb: the most that the cgroup of this job ever held; 0 where it has none of its own (batch systems name them after
# the job) or the kernel does not say. A cgroup that is shared says nothing of us.
cgroup_peak=? own_cgroup_file=/proc/self/cgroup cgroup_root=/sys/fs/cgroup
read_cgroup_peak() {
  cgroup_mb=0
  if [ "$cgroup_peak" = '?' ]; then
    cgroup_peak=
    read -r own_cgroup 2>/dev/null <"$own_cgroup_file" || own_cgroup=
    case $own_cgroup in 0::*/condor_*@* | 0::*/job_[0-9]*) cgroup_peak=$cgroup_root${own_cgroup#0::}/memory.peak ;; esac
    [ -r "$cgroup_peak" ] || cgroup_peak=
  fi
  [ -n "$cgroup_peak" ] || return 0
  read -r peak_bytes 2>/dev/null <"$cgroup_peak" || return 0
  if is_number "$peak_bytes"; then cgroup_mb=$(((peak_bytes + 1048575) / 1048576)); fi
}
