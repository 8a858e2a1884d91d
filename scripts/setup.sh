#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that srcextract is built from; does nothing where all are installed.
set -euo pipefail

usage() {
  cat <<'END'
Usage: scripts/setup.sh [--tests] [--python] [--package] [--wheel] [--cross] [--slurm] [--recipes] [--image] [--ci] [--print|--names]
Installs what is missing to build srcextract and, as asked, to test it, to package it, to make its Python wheels
(scripts/wheel.sh; --cross: for aarch64), to run surveys through a Slurm of its own (scripts/slurm_check.sh), to check it in CI and to fuzz it
(scripts/fuzz.sh). --recipes is what scripts/recipes.sh needs, --image scripts/image.sh.
--python is what `pip install .` and scripts/python.sh need beside; --print prints the line that installs what is missing,
--names the names of all that was asked for; both install nothing.
Without root and without sudo it prints the command to ask an administrator for and exits 2.
END
}

packages=(cmake ninja-build g++ pkg-config libcfitsio-dev wcslib-dev libtbb-dev libyaml-cpp-dev libcli11-dev
  libspdlog-dev libfmt-dev nlohmann-json3-dev libboost-math-dev libexpat1-dev zlib1g-dev libpng-dev libzstd-dev
  libsnappy-dev libavro-dev)
print='' names=''
for argument in "$@"; do
  case $argument in
    --tests)
      packages+=(libgtest-dev libgmock-dev libbenchmark-dev python3 python3-numpy python3-scipy python3-astropy
        python3-pytest python3-avro python3-jsonschema python3-yaml fitsverify source-extractor python3-sep python3-photutils
        make strace stilts scamp psfex astrometry.net sqlite3 postgresql help2man zsh fish python3-websocket)
      # Ubuntu has Chromium as a snap alone.
      grep -qs '^ID=ubuntu' /etc/os-release || packages+=(chromium)
      ;;
    --python) packages+=(python3-dev python3-venv) ;;
    --print) print=1 ;;
    --names) names=1 ;;
    --package) packages+=(patchelf help2man) ;;
    --wheel) packages+=(binutils dpkg-dev patch xz-utils make python3 python3-dev python3-venv) ;;
    --recipes) packages+=(debhelper dpkg-dev lintian) ;;
    --image) packages+=(buildah debootstrap) ;;
    --cross) packages+=(g++-aarch64-linux-gnu qemu-user-static) ;;
    --slurm) packages+=(slurm-wlm munge) ;;
    --ci) packages+=(git ccache clang-format clang-tidy shellcheck clang libclang-rt-dev llvm) ;;
    --help | -h) usage && exit ;;
    *) usage >&2 && exit 2 ;;
  esac
done

[[ -z $names ]] || { echo "${packages[*]}" && exit; }

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: this is neither Debian nor Ubuntu; if the build fails, install the counterparts of: ${packages[*]}" >&2
  exit 0
fi
missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0
if [[ $print ]]; then
  echo "apt-get install --no-install-recommends ${missing[*]}"
  exit
fi

run_as_root=()
if [[ $EUID -ne 0 ]]; then
  # sudo may ask for the password, but only where someone can answer.
  if ! command -v sudo >/dev/null || { ! sudo -n true 2>/dev/null && ! { [[ -t 0 ]] && sudo -v; }; }; then
    echo "setup: packages are missing and installing them needs root. Ask an administrator for:" >&2
    echo "apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 2
  fi
  run_as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${run_as_root[@]}" apt-get update -q
"${run_as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
