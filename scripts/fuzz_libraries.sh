#!/usr/bin/env bash
# Builds CFITSIO and WCSLIB, from the sources of the versions that are installed, with the fuzzer's eyes and
# AddressSanitizer in them: for scripts/fuzz.sh --libraries. The product links those of the system.
set -euo pipefail

if [[ $# -ne 1 || $1 == -* ]]; then
  echo "Usage: scripts/fuzz_libraries.sh DIR   (libcfitsio.a, libwcs.a, cfitsio.pc and wcslib.pc are made there)"
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit
  exit 2
fi
mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial" "$1/source"
cd "$1"
[[ ! -e cfitsio.pc || ! -e wcslib.pc ]] || exit 0
directory=$PWD

# The package sources of this machine, of its sources alone, in a list of their own: nothing of the system is changed.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [[ ! -e $list ]] || sed -n 's/^deb \(.*\)/deb-src \1/p' "$list"
done >apt/all.list
for list in /etc/apt/sources.list.d/*.sources; do
  [[ ! -e $list ]] || sed 's/^Types:.*/Types: deb-src/' "$list"
done >apt/all.sources
# apt takes the format from the ending.
list=apt/all.sources
[[ -s $list ]] || list=apt/all.list
get=(apt-get -q -o "Dir::Etc::SourceList=$directory/$list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$directory/apt/lists" -o "Dir::Cache=$directory/apt/cache" -o APT::Sandbox::User=)
"${get[@]}" update >apt/log
(cd source && "${get[@]}" source --download-only --tar-only cfitsio wcslib >>../apt/log)
for archive in source/*.orig.tar.*; do tar -xf "$archive" -C source; done

flags="-O1 -g1 -w -fsanitize=fuzzer-no-link,address -fno-omit-frame-pointer"
cmake -S source/cfitsio-* -B cfitsio -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_FLAGS="$flags" \
  -DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS=OFF -DUSE_CURL=OFF -DUSE_BZIP2=OFF -DUSE_PTHREADS=ON -DTESTS=OFF -DUTILS=OFF >>apt/log
cmake --build cfitsio >>apt/log
cp cfitsio/libcfitsio.a source/cfitsio-*/{fitsio,fitsio2,longnam}.h .

# WCSLIB as Debian keeps it has no configure: what that would find out is what the installed package found out.
mkdir -p wcslib
cp source/wcslib-*/C/*.h wcslib
cp "$(pkg-config --variable=includedir wcslib 2>/dev/null || echo /usr/include)"/wcslib*/wcsconfig.h wcslib 2>/dev/null ||
  cp /usr/include/wcslib/wcsconfig.h wcslib
# shellcheck disable=SC2086
compile() { clang $flags -Iwcslib -c "$1" -o "wcslib/$(basename "$1" .c).o"; }
export flags
export -f compile
find source/wcslib-*/C -maxdepth 2 -name '*.c' -not -path '*/test/*' -print0 |
  xargs -0 -P "$(nproc)" -I{} bash -c "compile {}"
rm -f libwcs.a
ar rcs libwcs.a wcslib/*.o

# pc NAME LIBRARY: how CMake finds them, before those of the system.
pc() {
  printf 'Name: %s\nDescription: %s, instrumented\nVersion: %s\nCflags: -I%s\nLibs: -L%s %s\n' "$1" "$1" \
    "$(basename source/"$1"-* | sed 's/.*-//')" "$directory" "$directory" "$2" >"$1.pc"
}
pc cfitsio "-lcfitsio -lz -lm -lpthread"
pc wcslib "-lwcs -lm"
echo "Built CFITSIO and WCSLIB in $directory."
