#!/usr/bin/env bash
# Proves the README on a machine that has nothing: a fresh chroot, the two commands, and two usual mistakes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/newcomer.sh [--suite NAME] [--mirror URL] [--cuda DIR] [--wheel FILE | --tarball FILE | --source FILE]
(As root; needs debootstrap and a network.)
Clones HEAD into a fresh Debian chroot (--suite bookworm) and runs scripts/run.sh and scripts/test.sh there.
--cuda DIR does the same in a second one with the CUDA toolkit of DIR at /usr/local/cuda.
--wheel FILE takes the wheel in place of the clone: a user without root makes an environment, installs it with what pip
fetches, and extracts a catalogue, by Python and by the command; within 60 s. That machine has Python with venv and nothing else.
--tarball FILE takes the tarball of scripts/package.sh: a user without root unpacks it on a machine without a network, and
extracts the catalogue of data/reference. The man pages and the completions are there.
--source FILE takes the source archive of scripts/release.sh: its own set-up installs what is missing, and CMake configures it.
--suite noble is Ubuntu 24.04, jammy 22.04. The mirror is the one of this machine's apt where it has the suite.
END
}

suite=bookworm mirror="" cuda="" wheel="" tarball="" source=""
while [[ $# -gt 0 ]]; do
  case $1 in
    --suite) suite=${2:?--suite needs a name} && shift ;;
    --mirror) mirror=${2:?--mirror needs a URL} && shift ;;
    --cuda) cuda=$(realpath "${2:?--cuda needs a directory}") && shift ;;
    --wheel) wheel=$(realpath "${2:?--wheel needs a wheel}") && shift ;;
    --tarball) tarball=$(realpath "${2:?--tarball needs a tarball}") && shift ;;
    --source) source=$(realpath "${2:?--source needs a source archive}") && shift ;;
    --help | -h) usage && exit ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done
[[ $EUID -eq 0 ]] || { echo "newcomer: needs root, for debootstrap and chroot" >&2 && exit 2; }

components=main script=()
case $suite in
  jammy | noble)
    components=main,universe mirror=${mirror:-http://archive.ubuntu.com/ubuntu}
    # All of Ubuntu's suites share one script; an older debootstrap does not know this name for it.
    [[ -e /usr/share/debootstrap/scripts/$suite ]] || script=(/usr/share/debootstrap/scripts/gutsy)
    ;;
  *)
    [[ -n $mirror ]] || mirror=$(apt-get indextargets --format "\$(SITE) \$(CODENAME)" 'Created-By: Packages' |
      awk -v suite="$suite" '$2 == suite { print $1; exit }')
    mirror=${mirror:-http://deb.debian.org/debian}
    ;;
esac

work=$(mktemp -d)
# The mounts below live in namespaces of their own, which end with their commands: nothing is mounted here any more.
trap 'rm -rf --one-file-system "$work"' EXIT

# inside MACHINE COMMAND...: in its chroot, in the clone, as root, with nothing of this shell's environment.
inside() {
  local machine=$1
  shift
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --propagation private bash -euc '
    machine=$1 cuda=$2
    shift 2
    mount -t proc proc "$machine/proc"
    mount --rbind /dev "$machine/dev"
    if [[ $cuda ]]; then
      mkdir -p "$machine/usr/local/cuda"
      mount --bind -o ro "$cuda" "$machine/usr/local/cuda"
    fi
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb http_proxy="${http_proxy:-}" \
      https_proxy="${https_proxy:-}" chroot "$machine" /bin/bash -euc "cd /srcextract; $*"' \
    - "$work/$machine" "$with_cuda" "$@"
}

# expect CODE MACHINE COMMAND...: and prints how long it took.
expect() {
  local expected=$1 code=0 start=$SECONDS
  shift
  inside "$@" || code=$?
  echo "    $((SECONDS - start)) s: ${*:2}"
  [[ $code -eq $expected ]] || { echo "newcomer: exit $code, not $expected, from: ${*:2}" >&2 && exit 1; }
}

meet() {
  local machine=$1
  with_cuda=$2
  echo "=== $suite, CUDA toolkit: ${with_cuda:-none}"
  cp -a "$work/base" "$work/$machine"
  git clone --quiet --no-hardlinks . "$work/$machine/srcextract"
  cp /etc/resolv.conf "$work/$machine/etc/resolv.conf"

  echo "--- neither root nor sudo: told what to ask for"
  expect 2 "$machine" "su nobody -s /bin/bash -c scripts/run.sh"
  echo "--- the first command"
  expect 0 "$machine" "scripts/run.sh"
  echo "--- the second"
  expect 0 "$machine" "scripts/test.sh"
  echo "--- both again, without a network"
  expect 0 "$machine" "unshare --net scripts/run.sh"
  expect 0 "$machine" "unshare --net scripts/setup.sh --tests"
  echo "--- a misspelt key, a broken file"
  expect 2 "$machine" "build/srcextract --set detection.treshold=3 config/default.yaml data/sky.fits"
  expect 3 "$machine" "head -c 100000 data/sky.fits >/tmp/broken.fits; build/srcextract config/default.yaml /tmp/broken.fits"
}

# meet_file FILE: the machine has it in /srcextract, and a user without root.
meet_file() {
  with_cuda=""
  echo "=== $suite: $(basename "$1")"
  mv "$work/base" "$work/plain"
  mkdir "$work/plain/srcextract"
  cp "$1" "$work/plain/srcextract"
  cp -L /etc/resolv.conf "$work/plain/etc/resolv.conf"
  inside plain "useradd --create-home astronomer"
}

as_user() { expect 0 plain "su astronomer -w http_proxy,https_proxy -c '$1'"; }

# meet_wheel: the seconds from nothing to a catalogue.
meet_wheel() {
  local start
  meet_file "$wheel"
  # What this machine trusts, and where its pip looks.
  cp -L /etc/ssl/certs/ca-certificates.crt "$work/plain/etc/ssl/certs/"
  [[ ! -e /etc/pip.conf ]] || cp /etc/pip.conf "$work/plain/etc/pip.conf"
  start=$SECONDS
  as_user "python3 -m venv ~/sx"
  # shellcheck disable=SC2088  # the user's home, found by the user's shell
  as_user "~/sx/bin/pip install --quiet --disable-pip-version-check /srcextract/*.whl"
  as_user 'cd; sx/bin/python -c "import srcextract as sx; found = sx.extract(sx.data.sky()); print(found); found.write(\"sky.cat.fits\")"'
  echo "=== $((SECONDS - start)) s to a catalogue"
  [[ $((SECONDS - start)) -le 60 ]] || { echo "newcomer: more than 60 s" >&2 && exit 1; }
  # shellcheck disable=SC2016  # expanded by the user's shell
  as_user 'cd; sx/bin/srcextract -q -o out "$(sx/bin/python -c "import srcextract as sx; print(sx.data.sky())")"; ls -l out; cmp out/sky.cat.fits sky.cat.fits'
}

# meet_tarball: nothing but the tarball is needed, neither a package nor a network.
meet_tarball() {
  local tree
  meet_file "$tarball"
  tree=/home/astronomer/$(basename "$tarball" .tar.gz)
  as_user "tar -C ~ -xf /srcextract/*.tar.gz"
  expect 0 plain "unshare --net su astronomer -c 'cd; $tree/bin/srcextract -q --backend cpu -o out $tree/data/sky.fits'"
  as_user "cd; $tree/bin/srcextract compare -q $tree/data/reference/default/sky.cat.ecsv out/sky.cat.fits"
  as_user "cd $tree/share; ls man/man1/srcextract.1 man/man1/srcextract-batch.1 fish/vendor_completions.d/srcextract.fish zsh/site-functions/_srcextract"
  expect 0 plain "su astronomer -s /bin/bash -c '. $tree/share/bash-completion/completions/srcextract; complete -p srcextract'"
}

# meet_source: all that the build needs is named by the archive's own set-up.
meet_source() {
  meet_file "$source"
  expect 0 plain "tar --strip-components=1 -xf *.tar.gz"
  expect 0 plain "scripts/setup.sh"
  expect 0 plain "cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DSRCEXTRACT_TESTS=OFF"
}

[[ ! $wheel ]] || include=--include=python3,python3-venv,ca-certificates
debootstrap --variant=minbase ${include:+"$include"} --components="$components" "$suite" "$work/base" "$mirror" "${script[@]}" >"$work/log" ||
  { tail "$work/log" >&2 && exit 1; }
for file in wheel tarball source; do
  [[ ${!file} ]] || continue
  "meet_$file"
  exit
done
meet plain ""
[[ -z $cuda ]] || meet cuda "$cuda"
echo "newcomer: all as the README says"
