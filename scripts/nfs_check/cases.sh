# shellcheck shell=bash disable=SC2154  # out, kept, log, code, run, program, images are those of nfs_check.sh
# The cases of scripts/nfs_check.sh: functions whose comment is what the table says of them.

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
  ends "$first"
  expect 0
  ends "$second"
  expect 0
  is_whole
}

case_same_work_twice() { # a second node is refused, and told by whom the lock is held
  start a
  at_work 1
  is_refused "$run"
  ends "$run"
  expect 0
  is_whole
}

case_killed() { # SIGKILL on one node; its shard goes on at once on the other
  local other
  start b --shard 2/2
  other=$run
  start a --shard 1/2
  at_work 3
  kill -KILL "$run"
  ends "$run"
  expect 137
  batch b --shard 1/2
  expect 0
  ends "$other"
  expect 0
  is_whole
}

case_cut_off() { # a node without a network loses its lock, the other goes on; then the first comes back
  local lost
  start a
  lost=$run
  at_work 3
  ip link set to_a down
  is_refused "$lost"
  again b
  ip link set to_a up
  ends "$lost"
  echo "the node that came back: $code"
  tail -n 3 "$log.a"
  expect 3
  is_whole
}

# is_refused RUN: node b may not begin the work of a process on node a, and says which.
is_refused() {
  batch b
  expect 3
  says b "process $1 on node-a is at work"
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
  at_work 3
  stop_serving
  sleep 4
  serve
  is_refused "$run"
  ends "$run"
  expect 0
  is_whole
}

case_soft_mount() { # the server stops, calls fail: the run says so, the next start does the rest
  start c
  at_work 3
  stop_serving
  sleep 15
  serve
  ends "$run"
  echo "it ended with $code"
  tail -n 5 "$log.c"
  again c
  is_whole
}

case_output_removed() { # stale handles: the run says so, the next start does all
  start a
  at_work 3
  until rm -rf "$kept"; do :; done # the run still adds files
  ends "$run"
  tail -n 5 "$log.a"
  expect 3
  batch a
  expect 0
  is_whole
}

case_output_moved() { # the run ends with 3, or has done all in the moved directory
  start a
  at_work 3
  mv "$kept" "$kept.moved"
  mkdir "$kept"
  ends "$run"
  tail -n 5 "$log.a"
  if [[ $code -eq 0 ]]; then rmdir "$kept" && mv "$kept.moved" "$kept"; else expect 3; fi
  batch a
  expect 0
  is_whole
}

case_output_disk_replaced() { # by an empty one: the run says so; after a mount the next start does all
  start a
  at_work 3
  remove_disk out
  add_disk out 2
  ends "$run"
  tail -n 5 "$log.a"
  expect 3
  remount out
  batch a
  expect 0
  is_whole
}

case_output_disk_full() { # the run says so; with room the next start does the rest
  remove_disk out
  add_disk out 2 size=2m
  remount out
  start a
  ends "$run"
  expect 3
  says a 'No space left'
  mount -o remount,size=50% /mnt/server/out
  batch a
  expect 0
  is_whole
}

# finish NODE: the run of a node whose images had stale handles, of which it says so; started again if images failed.
finish() {
  ends "$run"
  echo "it ended with $code"
  tail -n 5 "$log.$1"
  says "$1" 'Stale file handle\|are put off'
  if [[ $code -ne 0 ]]; then
    expect 6
    batch "$1"
  fi
  expect 0
  is_whole
}

case_images_unshared() { # for a while: images wait or fail; the next start does the rest
  remount images # so that nothing is in the nodes' memory
  start a
  at_work 3
  exportfs -u "*:/mnt/server/images"
  exportfs -f
  sleep 3
  share /mnt/server/images 1
  finish a
}

case_images_disk_replaced() { # by a copy, then mounted again: the same
  remount images
  mkdir /run/copy
  mount -t tmpfs none /run/copy
  cp -a /mnt/server/images/. /run/copy
  start a
  at_work 3
  remove_disk images
  mount --move /run/copy /mnt/server/images
  share /mnt/server/images 1
  sleep 5
  remount images
  finish a
}
