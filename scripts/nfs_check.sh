#!/usr/bin/env bash
# Surveys on a real NFS server, with two nodes that have their own clients of it. Server and nodes live in a user-mode
# Linux, since the kernel of this machine may have no NFS, and loading modules would need root.
set -euo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

usage() {
  cat <<'END'
Usage: scripts/nfs_check.sh [CASE...]   (Debian; two minutes, 300 MB in a temporary directory, no root)
Downloads Debian's user-mode-linux, nfs-kernel-server and what they need into a temporary directory, and boots a guest
with an NFS server and two nodes that mount it. Nodes are killed and cut off, the server is stopped, its disks are
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
  TMPDIR=$work timeout --foreground 900 "$work/root/usr/bin/linux.uml" mem=2G root=/dev/root rootfstype=hostfs rootflags=/ ro \
    init="$work/init" quiet loglevel=0 con=null con0=null,fd:1 umid="nfs_check$$" </dev/null 2>"$work/logs/kernel" |
    sed -u 's/\r$//' | tee "$work/logs/console" | grep --line-buffered -E '^(PASS|FAIL|note) ' || true
  grep -q '^END$' "$work/logs/console" || { tail -n 20 "$work/logs/console" "$work/logs/kernel" >&2 && exit 1; }
  ! grep -q '^FAIL ' "$work/logs/console"
}

unpack() {
  [[ ! -e $work/root/complete ]] || return 0
  mkdir -p "$work/packages" "$work/root"
  (cd "$work/packages" && apt-get download -qq "${packages[@]}") || {
    echo "nfs_check: Debian's packages cannot be had; try apt-get update" >&2 && exit 2
  }
  local package
  for package in "$work/packages"/*.deb; do dpkg-deb --extract "$package" "$work/root"; done
  rm -r "$work/packages"
  touch "$work/root/complete"
}

# --- in the guest

guest() {
  work=$1 program=$2
  shift 2
  trap 'echo END; sync; echo o >/proc/sysrq-trigger; sleep 9' EXIT
  local directory
  export PATH=$work/root/usr/sbin:$work/root/sbin:$PATH HOME=/run
  export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu:$work/root/lib/x86_64-linux-gnu
  mount -t proc proc /proc && mount -t sysfs sys /sys
  for directory in /run /mnt /var/lib; do mount -t tmpfs none $directory; done
  ln -s /proc/self/fd /dev/fd
  mkdir /run/logs && mount -t hostfs none /run/logs -o "$work/logs"
  exec 2>/run/logs/guest
  set -x
  load_modules
  start_server
  make_images
  run_local
  start_node a 1 hard
  start_node b 2 hard
  start_node c 3 soft,timeo=10,retrans=1
  local name names=("$@")
  [[ $# -gt 0 ]] || mapfile -t names < <(sed -n 's/^case_\(.*\)() {.*/\1/p' "$0")
  for name in "${names[@]}"; do try "$name"; done
}

load_modules() {
  local module
  mkdir -p /run/modules/lib && ln -s "$work/root/usr/lib/uml/modules" /run/modules/lib/modules
  ln -s "$work/root/bin/kmod" /run/modprobe # the package's link is to this machine's /bin
  for module in nfsd nfsv4 veth; do /run/modprobe -d /run/modules $module; done
}

# The server's disks are at /mnt/server; all see them at /mnt/survey. Clients that say nothing for 10 s, the least that
# the server takes, lose their locks; as long do clients have after its start to claim theirs.
start_server() {
  mkdir -p /var/lib/nfs/{sm,v4recovery,rpc_pipefs,nfsdcld} /mnt/{server,survey}
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

share() { exportfs -i -o "rw,no_root_squash,insecure,no_subtree_check,crossmnt,fsid=$2" "*:$1"; }

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

declare -A nodes

# start_node NAME NUMBER OPTION,...: a host, network and mounts of its own.
start_node() {
  local name=$1 net=10.0.$2
  unshare --net --uts --mount --propagation private sh -c "hostname node-$name; exec sleep 9999" &
  nodes[$name]=$!
  sleep 0.2
  ip link add "to_$name" type veth peer name eth0 netns "${nodes[$name]}"
  ip address add "$net.1/24" dev "to_$name" && ip link set "to_$name" up
  on "$name" ip link set lo up
  on "$name" ip address add "$net.2/24" dev eth0
  on "$name" ip link set eth0 up
  on "$name" mount.nfs "$net.1:/" /mnt/survey -o "vers=4.2,$3"
}

# on NODE COMMAND...
on() { nsenter --target "${nodes[$1]}" --net --uts --mount -- "${@:2}"; }

images=160

# Each has another band of the sky twice. A quarter are files; the others are links to them, which are read alike.
make_images() {
  local i place=/mnt/server/images
  for ((i = 0; i < images; i++)); do
    ((i < images / 4)) || { ln "$place/$((i % (images / 4))).fits" "$place/$i.fits" && continue; }
    cp "$root/data/sky.fits" "$place/$i.fits"
    dd if="$root/data/sky.fits" of="$place/$i.fits" bs=40960 skip=$((i + 3)) seek=$((i + 2)) count=2 conv=notrunc status=none
    touch -d 2026-01-01 "$place/$i.fits"
  done
}

options=(--backend cpu --threads 2 "$root/config/default.yaml" /mnt/survey/images)

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
  printf '%s  %3d s  %-22s%s\n' $status $((SECONDS - start)) "$1" "$(sed -n "s/^case_$1() { # //p" "$0")"
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

recorded() { cat "$kept"/journal*.jsonl 2>/dev/null | grep -o '^{"image":"[^"]*"' || true; }

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
  for node in a b c; do on $node umount -l "/mnt/survey/$1" || true; done # one that never looked has none
}

# --- cases

case_two_nodes() { # two shards in one directory, followed and merged from other nodes
  local first second
  start a --shard 1/2
  first=$run
  start b --shard 2/2
  second=$run
  at_work 1
  on c "$program" status "$out" | tee "$log.status"
  says status '^1/2 .*running.* node-a$'
  says status '^2/2 .*running.* node-b$'
  ends $first
  expect 0
  ends $second
  expect 0
  is_whole
}

case_same_work_twice() { # a second node is refused, and told by whom the lock is held
  start a
  at_work 1
  batch b
  expect 3
  says b "process $run on node-a is at work"
  ends $run
  expect 0
  is_whole
}

case_killed() { # SIGKILL on one node; its shard goes on at once on the other
  local other
  start b --shard 2/2
  other=$run
  start a --shard 1/2
  at_work 20
  kill -KILL $run
  ends $run
  expect 137
  batch b --shard 1/2
  expect 0
  ends $other
  expect 0
  is_whole
}

case_cut_off() { # a node without a network loses its lock, the other goes on; then the first comes back
  local lost
  start a
  lost=$run
  at_work 20
  ip link set to_a down
  batch b
  expect 3
  says b "process $lost on node-a is at work"
  again b
  ip link set to_a up
  ends $lost
  echo "the node that came back: $code"
  tail -n 3 "$log.a"
  is_whole
}

# again NODE: the same command until it does not end with 3, at most 20 times.
again() {
  for _ in {1..20}; do
    batch "$1"
    [[ $code -eq 3 ]] || break
    echo "once more: $(tail -n 1 "$log.$1")"
    sleep 2
  done
  expect 0
}

case_server_restarts() { # hard mount: the run waits, keeps its lock and goes on
  start a
  at_work 20
  stop_serving
  sleep 4
  serve
  batch b
  expect 3
  says b "process $run on node-a is at work"
  ends $run
  expect 0
  is_whole
}

case_soft_mount() { # the server stops, calls fail: the run says so, the next start does the rest
  start c
  at_work 20
  stop_serving
  sleep 15
  serve
  ends $run
  echo "it ended with $code"
  tail -n 5 "$log.c"
  again c
  is_whole
}

case_output_removed() { # stale handles: the run says so, the next start does all
  start a
  at_work 20
  rm -rf "$kept"
  ends $run
  tail -n 5 "$log.a"
  expect 3
  batch a
  expect 0
  is_whole
}

case_output_moved() { # the run ends with 3, or has done all in the moved directory
  start a
  at_work 20
  mv "$kept" "$kept.moved"
  mkdir "$kept"
  ends $run
  tail -n 5 "$log.a"
  if [[ $code -eq 0 ]]; then rmdir "$kept" && mv "$kept.moved" "$kept"; else expect 3; fi
  batch a
  expect 0
  is_whole
}

case_output_disk_replaced() { # by an empty one: the run says so; after a mount the next start does all
  start a
  at_work 20
  remove_disk out
  add_disk out 2
  ends $run
  tail -n 5 "$log.a"
  expect 3
  remount out
  batch a
  expect 0
  is_whole
}

case_output_disk_full() { # the run says so; with room the next start does the rest
  remove_disk out
  add_disk out 2 size=8m
  remount out
  start a
  ends $run
  expect 3
  says a 'No space left'
  mount -o remount,size=50% /mnt/server/out
  batch a
  expect 0
  is_whole
}

case_images_unshared() { # for a while: the run waits and goes on
  start a
  at_work 20
  exportfs -u "*:/mnt/server/images"
  exportfs -f
  sleep 5
  share /mnt/server/images 1
  ends $run
  tail -n 5 "$log.a"
  expect 0
  is_whole
}

case_images_disk_replaced() { # by a copy: the run waits for a mount and goes on
  start a
  at_work 20
  remove_disk images
  add_disk images 1
  make_images
  sleep 3
  remount images
  ends $run
  tail -n 5 "$log.a"
  expect 0
  is_whole
}

if [[ ${1:-} == --guest ]]; then guest "${@:2}"; else host "$@"; fi
