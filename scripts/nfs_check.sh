#!/usr/bin/env bash
# Surveys on a real NFS server, with nodes that have their own clients of it. Server and nodes live in a user-mode
# Linux, since the kernel of this machine may have no NFS, and loading modules would need root.
set -euo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
cases=$root/scripts/nfs_check/cases.sh

usage() {
  cat <<'END'
Usage: scripts/nfs_check.sh [CASE...]   (Debian; four minutes, 2 GB in a temporary directory, no root)
Downloads Debian's user-mode-linux, nfs-kernel-server and what they need into a temporary directory, and boots a guest
with an NFS server and three nodes that mount it. Nodes are killed and cut off, the server is stopped, its disks are
replaced, while surveys run. Prints PASS or FAIL for each case, and exits with 1 if one failed.
SRCEXTRACT_PROGRAM names the program (build/srcextract); NFS_CHECK_KEEP a directory for packages and logs, which stays.
END
}

packages=(user-mode-linux nfs-kernel-server nfs-common kmod libkmod2 libtirpc3 libnfsidmap1 libevent-core-2.1-7
  libkeyutils1 libsqlite3-0 libwrap0 iproute2 libbpf1 libmnl0 libelf1 libbsd0 libcap2)

# --- on this machine

host() {
  case ${1:-} in
    --help | -h) usage && exit ;;
    -*) usage >&2 && exit 2 ;;
  esac
  program=$(realpath "${SRCEXTRACT_PROGRAM:-build/srcextract}")
  [[ -x $program ]] || { echo "nfs_check: no $program; build first (scripts/build.sh)" >&2 && exit 2; }
  if [[ ${NFS_CHECK_KEEP:-} ]]; then
    mkdir -p "$NFS_CHECK_KEEP" && work=$(realpath "$NFS_CHECK_KEEP")
  else
    work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
  fi
  rm -rf "$work/logs" && mkdir -p "$work/logs"
  unpack
  printf '#!/bin/sh\nexec %q --guest %q %q %s\n' "$root/scripts/nfs_check.sh" "$work" "$program" "$*" >"$work/init"
  chmod +x "$work/init"
  # Its memory is a file. `quiet`: what the guest prints alone, without what its kernel does.
  TMPDIR=$work timeout --foreground 900 "$work/unpacked/usr/bin/linux.uml" mem=2G root=/dev/root rootfstype=hostfs rootflags=/ ro \
    init="$work/init" quiet loglevel=0 con=null con0=null,fd:1 umid="nfs_check$$" </dev/null 2>"$work/logs/kernel" |
    sed -u 's/\r$//' | tee "$work/logs/console" | grep --line-buffered -E '^(PASS|FAIL|note) ' || true
  grep -q '^END$' "$work/logs/console" || { tail -n 20 "$work"/logs/{guest,kernel} >&2 && exit 1; }
  ! grep -q '^FAIL ' "$work/logs/console"
}

unpack() {
  [[ ! -e $work/unpacked/complete ]] || return 0
  mkdir -p "$work/packages" "$work/unpacked"
  (cd "$work/packages" && apt-get download -qq "${packages[@]}") || {
    echo "nfs_check: Debian's packages cannot be had; try apt-get update" >&2 && exit 2
  }
  local package
  for package in "$work/packages"/*.deb; do dpkg-deb --extract "$package" "$work/unpacked"; done
  chmod u-s "$work/unpacked/sbin/mount.nfs" # it would become the user that unpacked it
  rm -r "$work/packages"
  touch "$work/unpacked/complete"
}

# --- in the guest

guest() {
  work=$1 program=$2
  shift 2
  trap 'sync; echo o >/proc/sysrq-trigger; sleep 9' EXIT
  local directory
  export PATH=$work/unpacked/usr/sbin:$work/unpacked/sbin:$PATH HOME=/run
  export LD_LIBRARY_PATH=$work/unpacked/usr/lib/x86_64-linux-gnu:$work/unpacked/lib/x86_64-linux-gnu
  mount -t proc proc /proc && mount -t sysfs sys /sys
  for directory in /run /mnt /var/lib; do mount -t tmpfs none $directory; done
  ln -s /proc/self/fd /dev/fd
  mkdir /run/logs && mount -t hostfs none /run/logs -o "$work/logs"
  exec 2>/run/logs/guest
  set -x
  # shellcheck source=scripts/nfs_check/cases.sh disable=SC1091
  source "$cases"
  load_modules
  start_server
  make_images
  run_local
  start_node a 1 hard
  start_node b 2 hard
  start_node c 3 soft,timeo=10,retrans=1
  local name names=("$@")
  [[ $# -gt 0 ]] || mapfile -t names < <(sed -n 's/^case_\(.*\)() {.*/\1/p' "$cases")
  for name in "${names[@]}"; do try "$name"; done
  echo END
}

load_modules() {
  local module
  mkdir -p /run/modules/lib && ln -s "$work/unpacked/usr/lib/uml/modules" /run/modules/lib/modules
  ln -s "$work/unpacked/bin/kmod" /run/modprobe # the package's link is to this machine's /bin
  for module in nfsd nfsv4 veth sch_netem; do /run/modprobe -d /run/modules $module; done
}

# The server's disks are at /mnt/server; all see them at /mnt/survey. Clients that say nothing for 10 s, the least that
# the server takes, lose their locks; as long do clients have after its start to claim theirs.
start_server() {
  mkdir -p /var/lib/nfs/{sm,v4recovery,rpc_pipefs,nfsdcld} /mnt/server /mnt/survey/{images,out}
  touch /var/lib/nfs/{etab,rmtab}
  ip link set lo up
  mount -t nfsd none /proc/fs/nfsd
  mount -t rpc_pipefs none /var/lib/nfs/rpc_pipefs
  nfsdcld -F -p /var/lib/nfs/rpc_pipefs -s /var/lib/nfs/nfsdcld &
  echo 10 >/proc/fs/nfsd/nfsv4leasetime
  echo 10 >/proc/fs/nfsd/nfsv4gracetime
  mount -t tmpfs none /mnt/server
  rpc.mountd --foreground --no-nfs-version 3 --no-udp &
  share /mnt/server 0
  add_disk images 1
  add_disk out 2
  serve
}

share() { exportfs -i -o "rw,no_root_squash,insecure,no_subtree_check,fsid=$2" "*:$1"; }

# add_disk NAME NUMBER [OPTION]: in the place of what was there.
add_disk() {
  mkdir -p "/mnt/server/$1"
  mount -t tmpfs none "/mnt/server/$1" -o "${3:-size=50%}"
  share "/mnt/server/$1" "$2"
}

remove_disk() {
  exportfs -u "*:/mnt/server/$1"
  exportfs -f
  umount -l "/mnt/server/$1"
}

serve() { rpc.nfsd --no-nfs-version 3 --no-udp 4; }
stop_serving() { rpc.nfsd 0; }

declare -A nodes mounts # by name: the process that holds its namespaces; address of the server, options

# start_node NAME NUMBER OPTION,...: a host, network and mounts of its own.
start_node() {
  local name=$1 net=10.0.$2
  unshare --net --uts --mount --propagation private sh -c "hostname node-$name; exec sleep 9999" &
  nodes[$name]=$!
  sleep 0.2
  ip link add "to_$name" type veth peer name eth0 netns "${nodes[$name]}"
  ip address add "$net.1/24" dev "to_$name" && ip link set "to_$name" up
  tc qdisc add dev "to_$name" root netem delay 5ms # so that surveys last some seconds
  on "$name" ip link set lo up
  on "$name" ip address add "$net.2/24" dev eth0
  on "$name" ip link set eth0 up
  mounts[$name]="$net.1 vers=4.2,$3"
  mount_disk "$name" images
  mount_disk "$name" out
}

# mount_disk NODE DISK
mount_disk() {
  local server options
  read -r server options <<<"${mounts[$1]}"
  on "$1" mount.nfs "$server:/$2" "/mnt/survey/$2" -o "$options"
}

# on NODE COMMAND...
on() { nsenter --target "${nodes[$1]}" --net --uts --mount -- "${@:2}"; }

images=48

# Each has another band of the sky twice; their times are always the same.
make_images() {
  local i place=/mnt/server/images
  for ((i = 0; i < images; i++)); do
    cp "$root/data/sky.fits" "$place/$i.fits"
    dd if="$root/data/sky.fits" of="$place/$i.fits" bs=40960 skip=$((i + 3)) seek=$((i + 2)) count=2 conv=notrunc status=none
    touch -d 2026-01-01 "$place/$i.fits"
  done
}

options=(--backend cpu --threads 1 "$root/config/default.yaml" /mnt/survey/images)

run_local() {
  mount --rbind /mnt/server /mnt/survey
  "$program" batch -q "${options[@]}" -o /run/local
  "$program" merge -q /run/local -o /run/survey.fits
  umount --recursive /mnt/survey
}

# try NAME: one case. Its directory is $out for the nodes and $kept for the server; what it says goes to $log.
try() {
  local start=$SECONDS status=PASS
  out=/mnt/survey/out/$1 kept=/mnt/server/out/$1 log=/run/logs/$1
  # Not within an `if`, where bash would ignore the -e.
  set +e
  (set -e; trap restore EXIT; "case_$1") >"$log" 2>&1
  code=$?
  set -e
  [[ $code -eq 0 ]] || status=FAIL
  printf '%s  %3d s  %-22s%s\n' $status $((SECONDS - start)) "$1" "$(sed -n "s/^case_$1() { # //p" "$cases")"
  rm -rf "$kept" "$kept".*
}

restore() {
  local pids
  pids=$(jobs -p)
  # shellcheck disable=SC2086  # a list
  [[ ! $pids ]] || kill -KILL $pids 2>/dev/null || true
  ip link set to_a up
  serve
}

# batch NODE OPTION...: its exit code in `code`, what it said in $log.NODE
batch() {
  code=0
  on "$1" "$program" batch "${options[@]}" -o "$out" "${@:2}" >"$log.$1" 2>&1 || code=$?
}

# start NODE OPTION...: the same, not waited for; its process in `run`.
start() {
  nsenter --target "${nodes[$1]}" --net --uts --mount -- "$program" batch "${options[@]}" -o "$out" "${@:2}" >"$log.$1" 2>&1 &
  # shellcheck disable=SC2034  # for cases.sh
  run=$!
}

# ends PID: waits for it, its exit code in `code`.
ends() {
  local end=$((SECONDS + 90))
  while kill -0 "$1" 2>/dev/null; do
    [[ $SECONDS -lt $end ]] || { echo "it does not end"; tail -n 5 -- "$log".*; exit 1; }
    sleep 0.2
  done
  code=0
  wait "$1" || code=$?
}

recorded() { cat "$kept"/journal*.jsonl 2>/dev/null | grep -v '"failed"' | grep -o '^{"image":"[^"]*"' || true; }

# at_work COUNT: waits until as many images are recorded, and no more than half of all.
at_work() {
  local end=$((SECONDS + 60))
  until [[ $(recorded | wc -l) -ge $1 ]]; do [[ $SECONDS -lt $end ]] || return 1; sleep 0.1; done
}

expect() { [[ $code == "$1" ]] || { echo "exit code $code, not $1"; tail -n 5 -- "$log".*; exit 1; }; }
says() { grep -q -e "$2" "$log.$1" || { echo "$1 does not say '$2':"; tail -n 5 "$log.$1"; exit 1; }; }

# All is there, each image once, with the bytes of the run without NFS.
is_whole() {
  on b "$program" merge -q "$out" -o "$out.fits"
  cmp "$kept.fits" /run/survey.fits
  diff -rq -x 'journal*' -x 'failures*' -x '*.run.json' "$kept" /run/local
  [[ $(recorded | wc -l) -eq $images && $(recorded | sort -u | wc -l) -eq $images ]]
}

# remount DISK: on all nodes, as an administrator does after its replacement.
remount() {
  local node
  for node in a b c; do
    on $node umount -l "/mnt/survey/$1"
    mount_disk $node "$1"
  done
}

if [[ ${1:-} == --guest ]]; then guest "${@:2}"; else host "$@"; fi
