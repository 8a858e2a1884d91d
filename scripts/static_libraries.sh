#!/usr/bin/env bash
# Builds libraries from Debian's sources of the versions this system has, each static and position-independent, with the
# compiler and the flags of the environment.
set -euo pipefail

usage() {
  cat <<'END_USAGE'
Usage: scripts/static_libraries.sh DIR [LIBRARY...]
Makes DIR/lib, DIR/include and DIR/lib/pkgconfig of zlib, expat, libpng1.6, libzstd, snappy, fmtlib, spdlog, yaml-cpp,
onetbb, cfitsio (without curl), wcslib, jansson and avro-c (without compression), or of those that are named; what DIR
holds already stays. CC, CXX, AR and CFLAGS (for C++ as well) in the environment say how, and CMAKE_TOOLCHAIN_FILE for which machine. Nothing of the system is changed.
END_USAGE
}

[[ ${1:-} != --help && ${1:-} != -h ]] || { usage && exit; }
[[ $# -ge 1 && $1 != -* ]] || { usage >&2 && exit 2; }
mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial" "$1/source" "$1/built" "$1/lib/pkgconfig" "$1/include" "$1/licenses"
cd "$1"
directory=$PWD
shift
libraries=("$@")
[[ $# -gt 0 ]] || libraries=(zlib expat libpng1.6 libzstd snappy fmtlib spdlog yaml-cpp onetbb cfitsio wcslib jansson avro-c)
export CC=${CC:-cc} CXX=${CXX:-c++}
flags="${CFLAGS:--O2 -DNDEBUG} -fPIC -w"
unset CFLAGS CXXFLAGS

# The package sources of this machine, in a list of their own. apt takes the format from the ending.
list_sources() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ ! -e $file ]] || sed -n 's/^deb \(.*\)/deb-src \1/p' "$file"
  done >apt/all.list
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ ! -e $file ]] || { sed 's/^Types:.*/Types: deb-src/' "$file" && echo; }
  done >apt/all.sources
  list=apt/all.sources
  grep -q . $list || list=apt/all.list
  options=(-o "Dir::Etc::SourceList=$directory/$list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$directory/apt/lists" -o "Dir::Cache=$directory/apt/cache" -o APT::Sandbox::User=)
  apt-get -q "${options[@]}" update >>apt/log
}

# fetch LIBRARY: its newest source package that the mirror has whole, with Debian's patches; failing that, its original
# archive. Sets `version`, and `source` to its folder.
fetch() {
  local folder=$directory/source/$1
  [[ ${options+listed} ]] || list_sources
  for version in $(apt-cache "${options[@]}" showsrc "$1" | awk -v name="$1" \
    '$1 == "Package:" { ours = $2 == name } $1 == "Version:" && ours { print $2 }' | sort -Vru) ""; do
    rm -rf "$folder" && mkdir "$folder"
    if [[ $version ]]; then
      (cd "$folder" && apt-get -q "${options[@]}" source --only-source "$1=$version") >>apt/log 2>&1 || continue
    else
      echo "static_libraries: no source package of $1 could be had whole: its original archive is taken" >&2
      (cd "$folder" && apt-get -q "${options[@]}" source --only-source --download-only --tar-only "$1") >>apt/log
      tar -xf "$folder"/*.orig.tar.*[!c] -C "$folder"
    fi
    break
  done
  source=$(find "$folder" -mindepth 1 -maxdepth 1 -type d)
  version=${version#*:}
  version=${version:-$(basename "$folder"/*.orig.tar.* | sed 's/.*_\(.*\)\.orig.*/\1/')}
  cp "$source/debian/copyright" "licenses/$1" 2>/dev/null ||
    find "$source" -maxdepth 2 -iregex '.*/\(licen[cs]e[^/]*\|copying[^/]*\)' -exec cat {} + >"licenses/$1"
}

# with_cmake FOLDER [OPTION...]
with_cmake() {
  cmake -S "$1" -B "built/$library" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
    -DCMAKE_CXX_STANDARD=17 -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX="$directory" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$directory" "${@:2}"
  cmake --build "built/$library"
  cmake --install "built/$library"
}

# pc NAME FLAGS LIBRARIES
pc() {
  printf 'Name: %s\nDescription: %s, static\nVersion: %s\nCflags: %s\nLibs: -L%s/lib %s\n' \
    "$1" "$1" "${version%%[+-]*}" "$2" "$directory" "$3" >"lib/pkgconfig/$1.pc"
}

# Debian's archive lacks files that its CMake asks for.
build_zlib() {
  (cd "$source" && CFLAGS=$flags ./configure --static --prefix="$directory" && make install)
}

build_cfitsio() {
  cmake -S "$source" -B built/cfitsio -G Ninja -DCMAKE_C_FLAGS="$flags" -DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS=OFF \
    -DUSE_CURL=OFF -DUSE_BZIP2=OFF -DUSE_PTHREADS=ON -DTESTS=OFF -DUTILS=OFF -DCMAKE_PREFIX_PATH="$directory"
  cmake --build built/cfitsio
  cp built/cfitsio/libcfitsio.a lib
  cp "$source"/{fitsio,fitsio2,longnam}.h include
  pc cfitsio "-I$directory/include" "-lcfitsio -lz"
}

# As Debian keeps it it has no configure: what that would find out is what the installed package found out.
build_wcslib() {
  mkdir -p include/wcslib built/wcslib
  cp "$source"/C/*.h include/wcslib
  cp "$(pkg-config --variable=includedir wcslib 2>/dev/null || echo /usr/include)"/wcslib*/wcsconfig.h include/wcslib 2>/dev/null ||
    cp /usr/include/wcslib/wcsconfig.h include/wcslib
  # shellcheck disable=SC2016  # expanded by the inner shells
  find "$source/C" -maxdepth 2 -name '*.c' -not -path '*/test/*' -print0 |
    xargs -0 -P "$(nproc)" -I{} bash -euc '$CC $1 -Iinclude/wcslib -c "$2" -o "built/wcslib/$(basename "$2" .c).o"' - "$flags" {}
  rm -f lib/libwcs.a
  "${AR:-ar}" rcs lib/libwcs.a built/wcslib/*.o
  pc wcslib "-I$directory/include" -lwcs
}

# Its CMake builds tests and examples, too, and asks for compression that containers of ours are without.
build_avro() {
  [[ ! -d $source/lang/c ]] || source=$source/lang/c
  cp -r "$source"/src/avro "$source"/src/avro.h include
  mkdir -p built/avro-c
  # shellcheck disable=SC2016  # expanded by the inner shells
  find "$source/src" -maxdepth 1 -name '*.c' ! -name 'avro*.c' ! -name schema_specific.c -print0 |
    xargs -0 -P "$(nproc)" -I{} bash -euc '$CC $1 -Iinclude -c "$2" -o "built/avro-c/$(basename "$2" .c).o"' - "$flags" {}
  rm -f lib/libavro.a
  "${AR:-ar}" rcs lib/libavro.a built/avro-c/*.o
  pc avro-c "-I$directory/include" "-lavro -ljansson"
}

build() {
  case $library in
    zlib) build_zlib ;;
    expat)
      [[ ! -d $source/expat ]] || source=$source/expat
      # Debian's patches ask for a value that CMake would not give it.
      flags="$flags -DXML_DTD=1" with_cmake "$source" -DEXPAT_{SHARED_LIBS,DTD}=OFF -DEXPAT_BUILD_{TOOLS,TESTS,EXAMPLES,DOCS}=OFF
      ;;
    libpng1.6) with_cmake "$source" -DPNG_SHARED=OFF -DPNG_TESTS=OFF ;;
    libzstd) with_cmake "$source/build/cmake" -DZSTD_BUILD_{PROGRAMS,SHARED,TESTS}=OFF ;;
    snappy)
      # Debian makes a static one beside the shared one, of the same name.
      sed -i '/^SET_TARGET_PROPERTIES(snappy-static/d' "$source/CMakeLists.txt"
      with_cmake "$source" -DSNAPPY_BUILD_{TESTS,BENCHMARKS}=OFF
      ;;
    fmtlib) with_cmake "$source" -DFMT_{TEST,DOC}=OFF ;;
    spdlog) with_cmake "$source" -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_{EXAMPLE,TESTS}=OFF ;;
    yaml-cpp) with_cmake "$source" -DYAML_CPP_BUILD_{TESTS,TOOLS,CONTRIB}=OFF ;;
    onetbb) with_cmake "$source" -DTBB_{TEST,STRICT,EXAMPLES}=OFF -DTBBMALLOC_BUILD=OFF -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON ;;
    cfitsio) build_cfitsio ;;
    wcslib) build_wcslib ;;
    jansson) with_cmake "$source" -DJANSSON_BUILD_{SHARED_LIBS,DOCS}=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF ;;
    avro-c) build_avro ;;
    *) echo "static_libraries: no library '$library': see --help" >&2 && exit 2 ;;
  esac
}

for library in "${libraries[@]}"; do
  [[ ! -e built/$library.done ]] || continue
  rm -rf "built/$library"
  fetch "$library"
  # Not within an `if`, where bash would ignore the -e.
  trap 'tail -n 30 "built/$library.log" >&2; echo "static_libraries: $library $version failed: $PWD/built/$library.log" >&2' EXIT
  build >"built/$library.log" 2>&1
  trap - EXIT
  echo "$library $version" | tee "built/$library.done"
done
