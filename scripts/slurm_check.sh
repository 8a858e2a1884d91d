#!/usr/bin/env bash
# A survey through a real Slurm, which lives for as long as this script does. Disturbed in every way that Slurm has, it
# must end with the bytes that one machine makes undisturbed.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/slurm_check.sh   (two minutes; scripts/setup.sh --slurm --tests installs what it needs)
Starts munged, slurmctld and slurmd on the loopback interface, in a temporary directory, and submits surveys with
scripts/slurm/submit.sh: tasks are killed, requeued, cancelled and run out of time; one file is bad. Stops all of it and
leaves nothing behind. SRCEXTRACT_PROGRAM names the program (build/srcextract).
END
}

case ${1:-} in
  "") ;;
  --help | -h) usage && exit ;;
  *) usage >&2 && exit 2 ;;
esac
# Nothing of a cluster that this machine may belong to, or of a job that this may be.
unset "${!SLURM_@}" "${!SBATCH_@}"
PATH=$PATH:/usr/sbin:/sbin
export SRCEXTRACT_PROGRAM=${SRCEXTRACT_PROGRAM:-$PWD/build/srcextract}
[[ -x $SRCEXTRACT_PROGRAM ]] || { echo "slurm_check: no $SRCEXTRACT_PROGRAM; build first (scripts/build.sh)" >&2 && exit 2; }
for command in munged slurmctld slurmd sbatch; do
  command -v $command >/dev/null || { echo "slurm_check: no $command; see scripts/setup.sh --slurm" >&2 && exit 2; }
done

work=$(mktemp -d /tmp/slurm_check.XXXXXX) # a short name: it will hold sockets
survey="$work/my survey"
task_seconds=8 # how long one of four tasks takes on a core: long enough to be caught at work

# What runs under this Slurm: all that was started with its SLURM_CONF.
processes() {
  local files
  mapfile -t files < <(env -u SLURM_CONF grep -lzxF "SLURM_CONF=$work/slurm.conf" /proc/[0-9]*/environ 2>/dev/null)
  files=("${files[@]#/proc/}")
  echo "${files[@]%/environ}"
}

clean_up() {
  local status=$? left
  trap '' INT TERM
  [[ $status -eq 0 ]] || show_logs
  kill -KILL "${daemons[@]}" 2>/dev/null || true
  for _ in {1..50}; do
    left=$(processes)
    [[ $left ]] || break
    # shellcheck disable=SC2086  # a list
    kill -KILL $left 2>/dev/null || true
    sleep 0.1
  done
  rm -rf "$work"
  exit $status
}

show_logs() {
  tail -n 15 "$work"/*.log || true
  tail -n +1 "$survey"/*/logs/* || true
} >&2 2>/dev/null

daemons=()
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() { echo "FAIL: $*" >&2 && exit 1; }
passed() { printf '%3d s  %s\n' $SECONDS "$*"; }

# wait_for WHAT COMMAND...: until it succeeds.
wait_for() {
  local what=$1 limit=300
  local end=$((SECONDS + limit))
  shift
  until "$@"; do
    [[ $SECONDS -lt $end ]] || fail "not within $limit s: $what"
    sleep 0.1
  done
}

# --- Slurm

free_ports() {
  python3 - <<'END'
import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))
END
}

# Two processors, whatever the machine has; a requeued task waits for as long as a credential lives, which takes two
# minutes unless told otherwise; a killed one has no node to itself to be cleaned.
write_configuration() {
  local user host ports
  user=$(id -un) host=$(hostname -s)
  read -ra ports < <(free_ports)
  mkdir "$work/state" "$work/spool"
  cat >"$work/slurm.conf" <<END
ClusterName=check
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket,cred_expire=5
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldTimeout=120
SlurmdTimeout=300
MessageTimeout=60
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
MailProg=/bin/true
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=2,bf_interval=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
END
}

# start NAME COMMAND...: a daemon of this check.
start() {
  local name=$1
  shift
  "$@" >"$work/$name.log" 2>&1 </dev/null &
  daemons+=($!)
  disown # without a word of the shell's when it is killed
}

start_slurm() {
  write_configuration
  export SLURM_CONF=$work/slurm.conf
  (umask 077 && head -c 128 /dev/urandom >"$work/munge.key")
  start munged munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" \
    --pid-file="$work/munged.pid" --log-file="$work/munged.log" --seed-file="$work/munge.seed"
  wait_for "munged answers" is_quiet munge --no-input --socket="$work/munge.socket"
  start slurmctld slurmctld -D
  start slurmd slurmd -D
  wait_for "the node is idle" node_is_idle
}

is_quiet() { "$@" >/dev/null 2>&1; }
node_is_idle() { [[ $(sinfo --noheader --format=%T 2>/dev/null) == idle ]]; }

# submit DIR OPTION...: a survey of all images; sets `array` and `merge` to the jobs.
submit() {
  local output=$1
  shift
  scripts/slurm/submit.sh "$@" --cpus-per-task=1 --mem=0 config/default.yaml "$survey/images" -o "$output" >"$work/submitted"
  head -n 1 "$work/submitted"
  read -r array merge < <(sed -n 's/^array \([0-9]*\):.* merge \([0-9]*\),.*/\1 \2/p' "$work/submitted")
}

# has_ended JOB: none of it waits or runs, nor will again.
has_ended() {
  local jobs
  jobs=$(squeue --noheader --format=%F 2>/dev/null) && ! grep -qx "$1" <<<"$jobs"
}

# ended JOB: how, as "COMPLETED 0:0 restarts 1".
ended() {
  scontrol --oneliner show job "$1" |
    sed -n 's/.*JobState=\([A-Z_]*\) .*Restarts=\([0-9]*\) .* ExitCode=\([0-9:]*\) .*/\1 \3 restarts \2/p'
}

# expect_end JOB HOW
expect_end() {
  local how
  how=$(ended "$1")
  [[ $how == "$2" ]] || fail "job $1 ended as '$how', not '$2'"
}

# program_of TASK: the process of srcextract in it.
program_of() {
  local pid
  for pid in $(processes); do
    if [[ $(cat "/proc/$pid/comm" 2>/dev/null) == srcextract ]] &&
      grep -qzxF "SLURM_ARRAY_TASK_ID=${1#*_}" "/proc/$pid/environ" 2>/dev/null; then
      echo "$pid" && return
    fi
  done
  fail "task $1 does not run any more: it was too fast to be disturbed"
}

# --- the survey

# make_images DIR COUNT: names alone make the images different; thousands of files of 2 MB would be slow to write.
make_images() {
  local i night
  mkdir -p "$1/night 1" "$1/night 2"
  cp data/sky.fits data/sky_subtracted.fits "$work"
  for ((i = 0; i < $2; i++)); do
    night="$1/night $((i % 2 + 1))"
    if ((i % 5)); then ln "$work/sky.fits" "$night/i$i.fits"; else ln "$work/sky_subtracted.fits" "$night/i$i.fits"; fi
  done
}

# As many images as this machine extracts in four tasks of task_seconds, and one file that is cut short.
make_survey() {
  local start=$EPOCHREALTIME few=200
  make_images "$work/few" $few
  "$SRCEXTRACT_PROGRAM" batch -q --threads 1 config/default.yaml "$work/few" -o "$work/few.out"
  images=$(awk "BEGIN { print int(4 * $task_seconds * $few / ($EPOCHREALTIME - $start)) }")
  rm -r "$work/few" "$work/few.out"
  make_images "$survey/images" "$images"
  head -c 100000 data/sky.fits >"$survey/images/night 2/short.fits"
}

has_records() { grep -q '^{"image":' "$1" 2>/dev/null; }

# The images that journals speak of, once for each record.
recorded() { grep -ho '^{"image":"[^"]*"' "$@" | sort; }

make_reference() {
  local status=0
  "$SRCEXTRACT_PROGRAM" batch -q config/default.yaml "$survey/images" -o "$survey/single" || status=$?
  [[ $status -eq 6 ]] || fail "batch exits with $status, not 6, where one file is bad"
  "$SRCEXTRACT_PROGRAM" merge -q "$survey/single" -o "$survey/single/survey.cat.fits"
  passed "one machine: $((images + 1)) images, one of them bad, for $task_seconds s a task"
}

# The job id of the last task is that of the whole array: what speaks of a task by its job id speaks of all of them.
disturb() {
  local program
  wait_for "task 1 has images done" has_records "$survey/array/journal.1-of-4.jsonl"
  program=$(program_of "${array}_1")
  kill -KILL "$program"
  passed "task 1: program killed"
  wait_for "task 2 has images done" has_records "$survey/array/journal.2-of-4.jsonl"
  scontrol requeue "${array}_2"
  passed "task 2: requeued by an administrator"
  wait_for "task 4 has images done" has_records "$survey/array/journal.4-of-4.jsonl"
  program=$(program_of "${array}_4")
  kill -USR1 "$(ps -o ppid= -p "$program" | tr -d ' ')"
  passed "task 4: told that its time is nearly up"
}

check_array() {
  submit "$survey/array" --tasks 4
  disturb
  wait_for "the array and its merge end" has_ended "$merge"
  local task
  for task in 1 2 4; do expect_end "${array}_$task" "COMPLETED 0:0 restarts 1"; done
  expect_end "${array}_3" "COMPLETED 0:0 restarts 0"
  expect_end "$merge" "COMPLETED 0:0 restarts 0"
  passed "all tasks and the merge completed, three of them at the second start"

  [[ -z $(recorded "$survey"/array/journal.*-of-4.jsonl | uniq -d) ]] || fail "an image was recorded twice"
  cmp <(recorded "$survey"/array/journal.*-of-4.jsonl) <(recorded "$survey/single/journal.jsonl")
  passed "every image has one record: nothing was lost, nothing that had been recorded was repeated"
  cmp "$survey/single/failures.csv" "$survey"/array/failures.*-of-4.csv
  passed "the bad file is the same row of failures.csv"
  diff -rq -x '*.run.json' -x 'journal*' -x 'failures*' -x logs "$survey/single" "$survey/array"
  cmp "$survey/single/survey.cat.fits" "$survey/array/survey.cat.fits"
  passed "every catalogue and the merged one have the bytes of one machine"
}

check_cancelled() {
  local program
  SRCEXTRACT_MAX_RESTARTS=0 submit "$survey/cancelled" --tasks 2
  wait_for "task 1 has images done" has_records "$survey/cancelled/journal.1-of-2.jsonl"
  scancel "${array}_1"
  wait_for "task 2 has images done" has_records "$survey/cancelled/journal.2-of-2.jsonl"
  program=$(program_of "${array}_2")
  kill -KILL "$program"
  wait_for "the array and its merge end" has_ended "$merge"
  [[ $(ended "${array}_1") == CANCELLED*" restarts 0" ]] || fail "task 1 ended as $(ended "${array}_1"), not CANCELLED"
  grep -q "ended with 7$" "$survey/cancelled/logs/batch-${array}_1.log" || fail "the cancelled task did not end with 7"
  passed "a cancelled task writes down what it has done, and is not started again"
  expect_end "${array}_2" "FAILED 137:0 restarts 0"
  passed "a killed one is not started more often than allowed"
  expect_end "$merge" "FAILED 3:0 restarts 0"
  [[ ! -e $survey/cancelled/survey.cat.fits ]] || fail "there is a survey catalogue of shards that have not finished"
  passed "the merge runs nevertheless, and says that shards have not finished"
}

make_survey
make_reference
start_slurm
passed "Slurm $(sinfo --version | cut -d' ' -f2) is up"
check_array
check_cancelled
echo "slurm_check: passed"
