#!/usr/bin/env bash
# Fails if a program or library is without what keeps a mistake of memory from becoming somebody's program.
set -euo pipefail

if [[ $# -eq 0 || $1 == -* ]]; then
  echo "Usage: scripts/hardened.sh FILE...   (ELF files built with SRCEXTRACT_HARDENED=ON)"
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit
  exit 2
fi

# lacks FILE: what it is without, as hardening-check(1) names these.
lacks() {
  local header names
  header=$(readelf --wide --file-header --program-headers --dynamic "$1")
  names=$(readelf --wide --dyn-syms "$1")
  grep -q 'Type: *DYN' <<<"$header" || echo "a position of its choice (PIE)"
  grep -q 'GNU_RELRO' <<<"$header" || echo "read-only relocations (RELRO)"
  grep -q 'BIND_NOW\|FLAGS_1.*NOW' <<<"$header" || echo "names bound at the start (BIND_NOW)"
  grep -q 'GNU_STACK.*RW ' <<<"$header" || echo "a stack without code (NX)"
  grep -q 'UND.*__stack_chk_fail' <<<"$names" || echo "the stack protector"
  grep -q 'UND.*__[a-z]*_chk' <<<"$(grep -v __stack_chk <<<"$names")" || echo "checked calls of the C library (FORTIFY)"
}

status=0
for file in "$@"; do
  missing=$(lacks "$file")
  [[ -n $missing ]] || { echo "hardened: $file" && continue; }
  echo "$file lacks ${missing//$'\n'/, }: build it with -DSRCEXTRACT_HARDENED=ON" >&2
  status=1
done
exit $status
