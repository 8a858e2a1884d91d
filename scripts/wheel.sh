#!/usr/bin/env bash
# Builds Python wheels of srcextract that install wherever glibc is 2.28 or later (RHEL 8, Debian 10, Ubuntu 20.04), and
# proves each in a fresh virtual environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/wheel.sh [--all] [--few] [--chroot SUITE]... [OUTPUT_DIR]      (OUTPUT_DIR is dist/ if not given)
Writes OUTPUT_DIR/srcextract-VERSION-cp312-abi3-manylinux_2_28_ARCH.whl, for Python 3.12 and later, one for Python 3.11 or
3.10 where that is what python3 is, the source distribution and SHA256SUMS. Where there is nvcc the wheels have the CUDA
back end and are of the distribution srcextract-cuda13 (or of what nvcc's version is). In the environment:
  PYTHON            the interpreters to build for, instead of the first of 3.12 and later, and python3 if it is older;
                    one without the GIL (python3.13t) gets a wheel of its own
  SRCEXTRACT_CUDA   OFF leaves the CUDA back end out: the distribution srcextract
  SRCEXTRACT_CUDA_ARCHITECTURES  the kinds of GPU (80-real 90-real 90-virtual)
  SRCEXTRACT_CROSS  aarch64: for that machine, by Debian's cross compilers, without CUDA; --chroot tries it under qemu
--all builds for each of python3.10, python3.11 and the first of 3.12 and later that is found, and tries the last wheel with each
later Python, without the Python tests.
--few leaves the Python tests out, as SRCEXTRACT_CROSS does.
--chroot SUITE (as root; needs debootstrap) proves in a fresh chroot of Debian's bookworm or trixie, which gets Python's
pip and venv and nothing else, the wheel that fits; of bullseye, whose Python is older, that the module loads (glibc 2.31).
Needs Debian 12: third-party libraries are linked in from its package sources. What is built stays in
build-wheel/ and build-manylinux/.
END
}

glibc=2.28
output=dist chroots=() few='' all=''
while [[ $# -gt 0 ]]; do
  case $1 in
    --chroot) chroots+=("${2:?--chroot needs the name of a suite}") && shift ;;
    --all) all=1 ;;
    --few) few=--few ;;
    --help | -h) usage && exit ;;
    -*) usage >&2 && exit 2 ;;
    *) output=$1 ;;
  esac
  shift
done

fail() {
  echo "wheel: $*" >&2
  exit 1
}

# version_of PYTHON: as 312, or 313t without the GIL, if it is one that can build.
version_of() {
  "$1" -c 'import ensurepip, os, sys, sysconfig
if sys.version_info >= (3, 10) and os.path.exists(sysconfig.get_path("include") + "/Python.h"):
    print("%d%d%s" % (*sys.version_info[:2], "t" * bool(sysconfig.get_config_var("Py_GIL_DISABLED"))))' 2>/dev/null
}

# pythons_of VERSION...: the interpreters python3.VERSION that can build, one a line; none without the GIL.
pythons_of() {
  local minor found
  for minor in "$@"; do
    found=$(version_of "python3.$minor") || continue
    [[ $found != "3$minor" ]] || echo "python3.$minor"
  done
}

# The first of 3.12 and later, whose stable ABI is that of all later ones, and python3 if it is older; with --all 3.10 and 3.11.
interpreters() {
  local python version found=""
  if [[ $all ]]; then
    found=$(pythons_of {12..20})
    echo "$(pythons_of 10 11 | paste -sd' ') ${found%%$'\n'*}"
    return
  fi
  for python in python3.{12..20}; do
    [[ $found ]] || { version=$(version_of "$python") && [[ $version ]] && found=$python; }
  done
  version=$(version_of /usr/bin/python3) || true
  [[ -n $version && ($version -lt 312 || -z $found) ]] && found+=" /usr/bin/python3"
  echo "$found"
}

# for_machine NAME: everything below is for another machine.
for_machine() {
  local tool
  few=--few machine=$1 libraries+=-$1 cmake+=-$1 stubs+=-$1
  scripts/setup.sh --cross
  export CHOST=$1-linux-gnu CC=$1-linux-gnu-gcc CXX=$1-linux-gnu-g++ CMAKE_TOOLCHAIN_FILE=$PWD/scripts/wheel/$1.cmake SRCEXTRACT_CUDA=OFF
  # auditwheel and others call these by their plain names.
  mkdir -p "build-wheel/tools-$1"
  for tool in ar nm ranlib strip; do ln -sf "$(command -v "$CHOST-$tool")" "build-wheel/tools-$1/$tool"; done
  PATH=$PWD/build-wheel/tools-$1:$PATH
}

# foreign_headers PYTHON: where Debian's Python has a header for each machine, that of the other one; sets `headers` to its folder.
foreign_headers() {
  local folder=$PWD/build-wheel/python-$machine package options
  headers=""
  package=lib$("$1" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')-dev
  [[ $(realpath "$(command -v "$1")") == /usr/bin/* ]] || return 0
  headers=$folder/$package/usr/include
  [[ ! -d $headers ]] || return 0
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
  options=(-q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=)
  apt-get "${options[@]}" update >"$folder/log"
  (cd "$folder" && apt-get "${options[@]}" download "$package:arm64" >>log && dpkg-deb -x "$package"_*.deb "$package")
}

# build PYTHON: its wheel, as the compiler made it, into build-wheel/raw.
build() {
  local python=$1 tools=$PWD/build-wheel/tools-$2 headers=""
  rm -rf build-wheel/raw
  [[ ! ${SRCEXTRACT_CROSS:-} ]] || foreign_headers "$python"
  [[ -x $tools/bin/python ]] || "$python" -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r scripts/wheel/tools.txt
  scripts/wheel/glibc.sh "$stubs" $glibc "$tools/bin/python" "$machine"

  # CMake of another interpreter is asked again; our libraries are the same for all of them, and stay. What is linked with
  # the glibc above is linked again.
  rm -f "$cmake/CMakeCache.txt" "$cmake/srcextract" "$cmake"/python/srcextract/_core*
  env PATH="$tools/bin:$PATH" CC="${CC:-cc}" CXX="${CXX:-c++}" ${headers:+CXXFLAGS="-isystem $headers"} CMAKE_PREFIX_PATH="$libraries" PKG_CONFIG_PATH="$libraries/lib/pkgconfig" \
    LDFLAGS="-B$stubs -L$stubs -static-libstdc++ -Wl,--exclude-libs,ALL,--allow-shlib-undefined" \
    CMAKE_GENERATOR=Ninja ${SRCEXTRACT_CROSS:+_PYTHON_HOST_PLATFORM=linux-$machine SETUPTOOLS_EXT_SUFFIX=.cpython-$2-$machine-linux-gnu.so} "$tools/bin/pyproject-build" --wheel --no-isolation --outdir build-wheel/raw \
    --config-setting=build-dir="$cmake" --config-setting=cmake.build-type=Release \
    --config-setting=cmake.define.SRCEXTRACT_HARDENED=ON \
    --config-setting=cmake.define.SRCEXTRACT_CUDA="${SRCEXTRACT_CUDA:-AUTO}"
}

# finish PYTHON: the raw wheel gets the name of its distribution, and the terms of the libraries that are in the module.
finish() {
  local terms package
  rm -rf build-wheel/unpacked
  "$1" -m wheel unpack --dest build-wheel/unpacked build-wheel/raw/*.whl >/dev/null
  rm build-wheel/raw/*.whl
  name_distribution build-wheel/unpacked/*
  terms=$(echo build-wheel/unpacked/*/*.dist-info)/licenses/libraries
  mkdir -p "$terms"
  cp "$libraries"/licenses/* "$terms"
  for package in libcli11-dev nlohmann-json3-dev libboost-math-dev libstdc++6; do
    cp -L "/usr/share/doc/$package/copyright" "$terms/$package" || fail "Debian's terms of $package are not on this machine"
  done
  "$1" -c 'import importlib.metadata as m; print(next(f.read_text() for f in m.files("nanobind") if f.name == "LICENSE"))' >"$terms/nanobind"
  "$1" -m wheel pack --dest-dir build-wheel/raw build-wheel/unpacked/* >/dev/null
}

# name_distribution FOLDER: of a wheel with CUDA srcextract-cudaN, N being the first number of its version.
name_distribution() {
  local cuda part
  [[ ! ${SRCEXTRACT_CROSS:-} ]] || return 0
  cuda=$("$cmake/srcextract" --version | sed -n 's/^CUDA *\([0-9]*\)\..*/\1/p')
  [[ $cuda ]] || return 0
  for part in "$1"/srcextract-*.{dist-info,data}; do mv "$part" "$1/srcextract_cuda$cuda-${part##*/srcextract-}"; done
  sed -i "s/^Name: srcextract$/Name: srcextract-cuda$cuda/" "$1"/*.dist-info/METADATA
}

# audit PYTHON OPTION...: auditwheel, which knows the rules of the machine that it believes to be on.
audit() {
  PATH=$PWD/$(dirname "$1"):$PATH "$1" -c 'import platform, sys
machine = sys.argv.pop(1)
platform.machine = lambda: machine
from auditwheel.main import main
sys.exit(main())' "$machine" "${@:2}"
}

# check PYTHON WHEEL: it asks a machine for nothing that glibc of that version, libgcc_s and Python are without.
check() {
  local python=$1 wheel=$2 tag module strange
  tag=$(audit "$python" show "$wheel" | tr '\n' ' ' | sed -n 's/.*platform tag: *"\([^"]*\)".*/\1/p')
  [[ $tag == manylinux_* && $(printf '%s\n' "$tag" "$platform" | sort -V | tail -n 1) == "$platform" ]] ||
    fail "$wheel is to be $platform, but auditwheel finds ${tag:-no tag}"

  rm -rf build-wheel/checked
  "$python" -m wheel unpack --dest build-wheel/checked "$wheel" >/dev/null
  while read -r module; do
    [[ $module != *.cpython-* || $module == *-$machine-* ]] || fail "$module has the name of another machine than $machine: Python there does not find it"
    # A name without a version is of no library that it was linked with: Python's, or newer than the glibc asked for.
    strange=$(nm -D --undefined-only "$module" | awk '$1 == "U" && $2 !~ /@/ && $2 !~ /^_?Py/ { print $2 }')
    [[ -z $strange ]] || fail "$module needs what glibc $glibc has not: $strange (see scripts/wheel/glibc_shim.c)"
    strange=$(nm -D --defined-only "$module" | awk '$3 !~ /^PyInit_/ { print $3 }')
    [[ -z $strange ]] || fail "$module shows others what is its own: $strange"
  done < <(find build-wheel/checked -name '*.so*')
  find build-wheel/checked \( -name '_core*.so' -o -path '*/scripts/srcextract' \) -exec scripts/hardened.sh {} +
  [[ $wheel != *-abi3-* ]] || "$python" -m abi3audit --strict "$wheel"
}

# The kernel gives programs of the other machine to qemu.
run_foreign() {
  local kernel=/proc/sys/fs/binfmt_misc
  [[ -e $kernel/register ]] || mount -t binfmt_misc none $kernel
  [[ -e $kernel/qemu-$machine ]] || cat "/usr/lib/binfmt.d/qemu-$machine.conf" >$kernel/register
}

# in_chroot SUITE: proves the wheel that fits its Python, on a machine that has nothing else.
in_chroot() {
  local suite=$1 root mirror wheel
  [[ $EUID -eq 0 ]] || fail "--chroot needs root, for debootstrap and chroot"
  mirror=$(apt-get indextargets --format "\$(SITE)" 'Created-By: Packages' | grep -m 1 'debian$' || true)
  root=$(mktemp -d)
  # The mounts below live in a namespace of their own, which ends with the command.
  # shellcheck disable=SC2064  # this machine, whatever the name stands for then
  trap "rm -rf --one-file-system '$root'" EXIT
  echo "=== $suite"
  [[ ! ${SRCEXTRACT_CROSS:-} ]] || run_foreign
  debootstrap ${SRCEXTRACT_CROSS:+--arch=arm64} --variant=minbase --include=python3,python3-pip,python3-venv,ca-certificates "$suite" "$root" \
    "${mirror:-http://deb.debian.org/debian}" >build-wheel/chroot.log || { tail build-wheel/chroot.log >&2 && exit 1; }
  wheel=$(wheel_for "$(chroot "$root" python3 -c 'import sys; print("%d%d" % sys.version_info[:2])')")
  mkdir -p "$root/srcextract/scripts"
  cp -r config data tests "$root/srcextract"
  cp -r scripts/wheel "$root/srcextract/scripts"
  cp "$cmake/srcextract" "$root/srcextract/program"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  copy_certificates "$root"
  if [[ $wheel ]]; then
    cp "$wheel" "$root/srcextract"
    inside "$root" "scripts/wheel/try.sh $few python3 $(basename "$wheel") program"
  else
    echo "wheel: no wheel is for the Python of $suite: its glibc alone is tried"
    load_alone "$root"
  fi
  rm -rf --one-file-system "$root"
  trap - EXIT
}

# inside MACHINE COMMAND: in its chroot, with nothing of this shell's environment.
inside() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --propagation private bash -euc '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 http_proxy="${http_proxy:-}" \
      https_proxy="${https_proxy:-}" chroot "$1" /bin/bash -euc "cd /srcextract; $2"' - "$1" "$2"
}

# load_alone MACHINE: the module finds every name there, those of Python being given to it; the program, of the same
# libraries, works.
load_alone() {
  local folder=$1/srcextract module
  module=$(find build-wheel/checked -name '_core*.so')
  cp "$module" "$folder/module.so"
  nm -D --undefined-only "$module" | awk '$2 ~ /^_?Py/ { print "char " $2 "[1024];" }' | gcc -w -shared -fPIC -x c - -o "$folder/python.so"
  printf '#include <dlfcn.h>\n#include <stdio.h>\n%s\n' \
    'int main(int n, char** a) { return dlopen(a[n - 1], RTLD_NOW) ? 0 : (puts(dlerror()), 1); }' |
    gcc "-B$stubs" "-L$stubs" -x c - -o "$folder/load" -ldl
  inside "$1" "ldd --version | head -n 1; LD_PRELOAD=./python.so ./load ./module.so
    ./program -q -o out config/default.yaml data/sky.fits; ls -l out"
}

# What this machine trusts and where its pip looks, a chroot trusts and looks as well.
copy_certificates() {
  cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
  [[ ! -e /etc/pip.conf ]] || cp /etc/pip.conf "$1/etc/pip.conf"
}

# wheel_for VERSION: of those that were made.
wheel_for() {
  local wheel
  for wheel in "${wheels[@]}"; do
    if [[ $wheel == *-cp"$1"-* || ($wheel == *-abi3-* && $1 -ge 312) ]]; then echo "$wheel" && return; fi
  done
}

machine=$(uname -m) libraries=$PWD/build-wheel/libraries cmake=$PWD/build-manylinux stubs=$PWD/build-wheel/glibc
scripts/setup.sh --wheel
mkdir -p build-wheel "$output"
[[ ! ${SRCEXTRACT_CROSS:-} ]] || for_machine "$SRCEXTRACT_CROSS"
platform=manylinux_${glibc/./_}_$machine
CFLAGS="-O2 -DNDEBUG -fstack-protector-strong -D_FORTIFY_SOURCE=2" scripts/static_libraries.sh "$libraries"
read -ra pythons <<<"${PYTHON:-$(interpreters)}"
wheels=()
for python in "${pythons[@]}"; do
  version=$(version_of "$python") || true
  [[ -n $version ]] || fail "$python is older than 3.10, or is without its headers or venv: choose with PYTHON=..."
  build "$python" "$version"
  tools=build-wheel/tools-$version/bin
  finish "$tools/python"
  rm -rf build-wheel/repaired
  audit "$tools/python" repair --plat "$platform" --only-plat --strip --wheel-dir build-wheel/repaired build-wheel/raw/*.whl
  check "$tools/python" build-wheel/repaired/*.whl
  wheel=$output/$(basename build-wheel/repaired/*.whl)
  mv build-wheel/repaired/*.whl "$wheel"
  wheels+=("$wheel")
  echo "=== $wheel: $(du -h "$wheel" | cut -f1), $(du -h "$(find build-wheel/checked -name '_core*.so')" | cut -f1) the module"
  [[ ${SRCEXTRACT_CROSS:-} ]] || scripts/wheel/try.sh $few "$python" "$wheel" "$cmake/srcextract" -r "$PWD/tests/python/requirements.txt"
done
if [[ $all && $wheel == *-abi3-* ]]; then
  for later in $(pythons_of {13..20}); do
    [[ $later == "$python" ]] || scripts/wheel/try.sh --few "$later" "$wheel" "$cmake/srcextract"
  done
fi
"$tools/pyproject-build" --sdist --no-isolation --outdir "$output" >build-wheel/sdist.log
scripts/sums.sh "$output"
for suite in "${chroots[@]}"; do in_chroot "$suite"; done
printf 'wheel: %s is as it should be\n' "${wheels[@]}"
