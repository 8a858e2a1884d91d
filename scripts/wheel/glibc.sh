#!/usr/bin/env bash
# Makes a folder whose libc.so, libm.so, libpthread.so... offer the linker what glibc VERSION had, and no more: what is
# linked with -BDIR -LDIR loads wherever glibc is that old. The compiler and its headers stay the system's.
set -euo pipefail

if [[ $# -lt 3 ]]; then
  echo "Usage: scripts/wheel/glibc.sh DIR VERSION PYTHON [MACHINE]   (a Python that has the package ziglang, which knows them)"
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit
  exit 2
fi
shim=$(realpath "$(dirname "${BASH_SOURCE[0]}")/glibc_shim.c")
mkdir -p "$1"
cd "$1"
if [[ ! -e Scrt1.o ]]; then
  rm -rf zig
  echo "int main(void) { return 0; }" >main.c
  # Zig describes every glibc by stub libraries, and leaves them in its cache.
  ZIG_GLOBAL_CACHE_DIR=$PWD/zig ZIG_LOCAL_CACHE_DIR=$PWD/zig \
    "$3" -m ziglang cc -target "${4:-$(uname -m)}-linux-gnu.$2" -fPIE -pie main.c -o main
  find zig -name 'lib*.so.*' -exec cp -t . {} +
  find zig \( -name libc_nonshared.a -o -name Scrt1.o \) -exec cp -t . {} +
  rm -rf zig main main.c
  loader=$(readelf -d libld.so.2 | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
  mv libld.so.2 "$loader"
  for name in m pthread dl rt; do ln -sf lib$name.so.* lib$name.so; done
fi
"${CC:-gcc}" -O2 -fPIC -fvisibility=hidden -Wall -Wextra -c "$shim" -o glibc_shim.o
rm -f libglibc_shim.a
"${AR:-ar}" rcs libglibc_shim.a glibc_shim.o
# Of a younger glibc the compiler links libc alone, which has all of them in it.
echo "GROUP ( $PWD/libc.so.6 $PWD/libc_nonshared.a $PWD/libglibc_shim.a
  AS_NEEDED ( $PWD/$(basename ld-linux*) $PWD/libpthread.so.0 $PWD/libdl.so.2 $PWD/librt.so.1 $PWD/libm.so.6 ) )" >libc.so
