#!/usr/bin/env bash
# What of CI runs this time; for .ci/run. What takes long runs if what it tests differs from main, and otherwise each fourth
# time: .ci/turn, which each merged change raises by one, says whose turn it is. The functions read
# - turn: that number,
# - changed: the paths that differ from main, one a line,
# - all: not empty if nothing is left out.
# shellcheck disable=SC2154  # who reads this file sets them

# chosen TURN PATTERN: whether it is the turn of what runs in TURN (0 to 3), or a path that differs matches PATTERN.
chosen() { [[ $all ]] || ((turn % 4 == $1)) || grep -Eq "$2" <<<"$changed"; }

# turns_until TURN: how many merged changes later its turn comes.
turns_until() { echo $((($1 - turn % 4 + 4) % 4)); }

# The files of production code that differ, and the folders of those of stages, as words of an expression; a comma if there
# are none. Folders of other code, such as image, are in the names of many tests.
changed_words() {
  local words
  words=$(grep -v '^tests/' <<<"$changed" | sed -nE 's/\.(cpp|hpp|cu|cuh)$//p' | awk -F/ '{print $NF} /^(stages|cuda)\// {print $(NF - 1)}' | sort -u | paste -sd'|')
  echo "${words:-,}"
}

# The most tests of a kind that run for nothing but that their file, or the folder support beside it, differs.
sample_most=6

# tests_left_out KIND: the tests KIND.X of the files tests/KIND/.../test_X.py that do not run, as an expression for ctest;
# empty if all do. The checksum of its name gives a test its turn. A test also runs if production code differs whose file,
# or folder of a stage, has a name that is part of the test's; or if its file, or the folder support beside it, differs: of
# more than sample_most such tests a sample, another for each turn.
tests_left_out() {
  local file name sum words names=() differ=()
  words=$(changed_words)
  for file in $(find "tests/$1" -maxdepth 2 -name 'test_*.py' | sort); do
    name=${file##*/test_}
    name=${name%.py}
    sum=$(cksum <<<"$name")
    if chosen $((${sum%% *} % 4)) '^,$' || [[ _${name}_ =~ _($words)_ ]]; then continue; fi
    if grep -Eq "^($file\$|tests/$1/support/)" <<<"$changed"; then differ+=("$name"); else names+=("$name"); fi
  done
  ((${#differ[@]} <= sample_most)) || mapfile -t -O ${#names[@]} names < <(printf '%s\n' "${differ[@]}" |
    shuf --random-source=<(yes "$turn") | tail -n +$((sample_most + 1)))
  ((${#names[@]} == 0)) || echo "^$1\.($(IFS='|' && echo "${names[*]}"))\$"
}

# device_files: the files of device code that differ, and those that include a header of cuda/ that differs, or that
# includes one; from cuda/ on.
device_files() {
  local files more=
  files=$(grep -E '^cuda/.*\.(cu|cuh|hpp)$' <<<"$changed")
  while [[ $files != "$more" ]]; do
    more=$files
    files=$({ echo "$more" && grep -E 'h(pp)?$' <<<"$more" | sed 's/.*/#include "&"/' |
      grep -rlFf - --include='*.cu' --include='*.hpp' --include='*.cuh' cuda; } | sort -u)
  done
  grep '\.cu$' <<<"$files" | while read -r file; do [[ ! -f $file ]] || echo "${file#cuda/}"; done
}

# programs_left_out: the GoogleTest programs that do not run with AddressSanitizer: neither their turn, nor what they test
# differs.
programs_left_out() {
  local names=() turn_of=0 name
  for name in config io regression sextractor survey stages pipeline; do
    chosen $((turn_of++ % 4)) "^(tests/)?$name/|^tests/support/.*pp\$" || names+=("$name")
  done
  ((${#names[@]} == 0)) || echo "^test_($(IFS='|' && echo "${names[*]}"))\."
}
