#!/usr/bin/env bash
# Submits a survey to Slurm: an array of shards, and the merge that follows it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
  cat <<'END'
Usage: scripts/slurm/submit.sh [--gpu | --cpu] [--tasks N[%M]] [SBATCH OPTION...] CONFIG INPUT... -o DIR [OPTION...]
Submits `srcextract batch CONFIG INPUT... -o DIR` as a job array, one shard a task, and `srcextract merge` after it,
which writes DIR/survey.cat.fits; logs are in DIR/logs. Submitted again, it does what is missing or changed.
  --gpu           one GPU a task
  --cpu           none, which is the default
  --tasks N[%M]   shards (8), of which M run at a time
  --merge=OPTION  an sbatch option of the merge alone, such as --merge=--partition=short; may be given again
SBATCH OPTIONs are written in one word (--partition=gpu, -Aproject) and hold for both jobs, after what
array.sbatch and merge.sbatch ask for. INPUTs and OPTIONs are those of srcextract batch; quote patterns.
The program is $SRCEXTRACT_PROGRAM, or else that of this repository or package, or the one in PATH.
END
}

fail() { echo "submit: $*" >&2 && exit 2; }

# The value of -o in the arguments of batch.
output_of() {
  while [[ $# -gt 0 ]]; do
    case $1 in
      -o | --output-dir) echo "${2:-}" && return ;;
      -o=* | --output-dir=*) echo "${1#*=}" && return ;;
      -o*) echo "${1#-o}" && return ;;
    esac
    shift
  done
}

find_program() {
  local candidate
  for candidate in "$here"/../../{build,bin}/srcextract; do
    [[ ! -x $candidate ]] || { realpath "$candidate" && return; }
  done
  command -v srcextract || true
}

resources=() backend=cpu tasks=8 options=() merge_options=()
while [[ ${1:-} == -* ]]; do
  case $1 in
    --help | -h) usage && exit ;;
    --gpu) resources=(--gres=gpu:1) backend=cuda ;;
    --cpu) resources=() backend=cpu ;;
    --tasks) tasks=${2:?--tasks needs a number} && shift ;;
    --tasks=*) tasks=${1#*=} ;;
    --merge=*) merge_options+=("${1#*=}") ;;
    *) options+=("$1") ;;
  esac
  shift
done
[[ $tasks =~ ^[1-9][0-9]*(%[1-9][0-9]*)?$ ]] || fail "--tasks is a number, as in --tasks 64, or --tasks 64%8; not '$tasks'"
[[ $# -gt 0 ]] || { usage >&2 && exit 2; }
[[ -f $1 ]] || fail "CONFIG '$1' is no file; an option of sbatch is written in one word: --partition=gpu"
output=$(output_of "$@")
[[ $output ]] || fail "-o DIR is missing: the tasks and the merge meet there"
for argument in "$@"; do
  [[ $argument != --force ]] || fail "--force would begin again with every start of a task; give -o a new directory"
done
program=${SRCEXTRACT_PROGRAM:-$(find_program)}
[[ -x $program ]] || fail "no program '$program': build it (scripts/build.sh), or name it in SRCEXTRACT_PROGRAM"
command -v sbatch >/dev/null || fail "no sbatch here: this is for a login node of a Slurm cluster"
# A mistake is answered here once, and not by every task.
"$program" batch --dry-run "$@" >/dev/null

mkdir -p "$output/logs"
output=$(realpath "$output")
# In the names of logs a % begins a pattern of Slurm's.
logs=${output//%/%%}/logs

# --parsable says ID, or ID;CLUSTER.
parse_id() { cut -d';' -f1; }

array=$(sbatch --parsable --array="1-$tasks" "${resources[@]}" --output="$logs/batch-%A_%a.log" "${options[@]}" \
  "$here/array.sbatch" "$program" batch --backend "$backend" "$@" | parse_id)
# Not afterok: a task that was lost for good would keep the merge waiting for ever. It looks itself whether every shard
# has finished, and says which has not.
merge=$(sbatch --parsable --dependency="afterany:$array" --output="$logs/merge-%j.log" "${options[@]}" \
  "${merge_options[@]}" "$here/merge.sbatch" "$program" merge "$output" -o "$output/survey.cat.fits" | parse_id) ||
  { scancel "$array" && fail "Slurm refused the merge, so the array $array is cancelled"; }
quoted=$(printf %q "$output")
cat <<END
array $array: ${tasks%\%*} tasks; merge $merge, which follows it and writes $output/survey.cat.fits
  waiting, running   squeue --jobs=$array,$merge
  how they ended     sacct --jobs=$array,$merge --format=JobID,JobName,State,ExitCode,Elapsed,NodeList
  what they say      tail -F $quoted/logs/batch-${array}_*.log
  what failed        cat $quoted/failures*.csv
  stop all of it     scancel $array $merge
END
