#!/usr/bin/env bash
# Makes the man pages of the program and its commands from what they say with --help, by help2man.
set -euo pipefail

case ${1:-} in
  "" | -*)
    echo "Usage: scripts/man_pages.sh PROGRAM DIRECTORY   (writes srcextract.1, srcextract-batch.1, ... there)"
    [[ ${1:-} == --help || ${1:-} == -h ]] && exit
    exit 2
    ;;
esac
program=$1 directory=$2
mkdir -p "$directory"
page() {
  help2man --no-info --version-string="$version" --name="$2" "$program${3:+ $3}" | keep_lines >"$directory/$1.1"
}

# Examples and names of files as lines, where help2man would fill a paragraph with them.
keep_lines() {
  awk '/^\.S[SH]/ { if (kept) print ".fi"; print; kept = /Example|Outputs/; if (kept) print ".nf"; next }
       kept && /^\.(TP|IP|PP)$/ { next }
       { print }
       END { if (kept) print ".fi" }'
}

version=$("$program" --version | head -n 1 | cut -d' ' -f2)
page srcextract "source catalogues of astronomical FITS images, on CPU or GPU" ""
# The commands with options, as the program lists them; columns and keys print what there is.
"$program" help | sed -n '/^Commands:/,$s/^  \([a-z-]*\)  *\(.*\)/\1 \2/p' | grep -vE '^(columns|keys|help) ' |
  while read -r command what; do page "srcextract-$command" "$what" "$command"; done
