#!/usr/bin/env bash
# Makes the files of a release, tries each on a bare machine, and ends with a table of what was made and what was left out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C.UTF-8

usage() {
  cat <<'END'
Usage: scripts/release.sh [--only STEP,...] [--untagged] [OUTPUT_DIR]      (OUTPUT_DIR is dist/ if not given)
Makes in OUTPUT_DIR what a release has, and tries it. The steps, in their order:
  wheels       Python wheels without CUDA, and the source distribution (scripts/wheel.sh --all)
  cuda         Python wheels with CUDA, where nvcc is
  tarball      the command with its libraries, man pages and completions (scripts/package.sh)
  image        the container image, as two archives that are tried (scripts/image.sh --oci); needs a wheel for Python 3.11
  source       the source archive: the same bytes from every clone
  notes        srcextract-VERSION-notes.md: this version's section of CHANGELOG.md, and how to install each file
  sums         SHA256SUMS of all files
  try-wheels   installs each wheel on a bare Debian or Ubuntu, as a user without root (scripts/newcomer.sh; as root)
  try-tarball  runs the command of the tarball on a bare Debian without a network (as root)
  try-source   configures the source archive on a bare Debian (as root)
  try-sums     checks SHA256SUMS
--only names the steps to run; it is an error if one of them cannot run. Without it a step that this machine cannot do is
left out, and the table at the end says why.
The tree must be clean, HEAD must have the tag vVERSION, and all files must agree on the version. --untagged is for a trial:
it asks for no tag, and lets CHANGELOG.md say "unreleased". IMAGE_OPTIONS=--bare is for a machine that reaches no registry of
images.
END
}

steps=(wheels cuda tarball image source notes sums try-wheels try-tarball try-source try-sums)
only='' untagged='' output=dist
most_words=1000 # of the notes, which are one page

fail() {
  echo "release: $*" >&2
  exit 1
}

while [[ $# -gt 0 ]]; do
  case $1 in
    --only) only=${2:?--only needs the names of steps} && shift ;;
    --untagged) untagged=1 ;;
    --help | -h) usage && exit ;;
    -*) usage >&2 && exit 2 ;;
    *) output=$1 ;;
  esac
  shift
done
for step in ${only//,/ }; do
  [[ " ${steps[*]} " == *" $step "* ]] || { echo "release: $step is no step; the steps are: ${steps[*]}" >&2 && exit 2; }
done

# --- what is released ---------------------------------------------------------------------------------------------------

version=$(sed -n 's/^project(srcextract VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[[ $version ]] || fail "CMakeLists.txt has no line project(srcextract VERSION ...)"

check_clean() {
  local changes
  changes=$(git status --porcelain)
  [[ ! $changes ]] || fail "files differ from HEAD, and a release is made of a commit. Commit or stash them:"$'\n'"$changes"
}

# Every place that names the version says the same as CMakeLists.txt.
check_version() {
  local problems=() found tags
  found=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
  # Without a version of its own pyproject.toml reads that of CMakeLists.txt.
  [[ ! $found || $found == "$version" ]] || problems+=("pyproject.toml says $found")
  found=$(sed -n 's/^version: *//p' CITATION.cff)
  [[ $found == "$version" ]] || problems+=("CITATION.cff says ${found:-nothing}")
  found=$(awk '/^## / { print $2; exit }' CHANGELOG.md)
  [[ $found == "$version" ]] || problems+=("the newest section of CHANGELOG.md is ${found:-missing}")
  tags=$(git tag --points-at HEAD 'v[0-9]*' | paste -sd' ')
  [[ ! $tags || " $tags " == *" v$version "* ]] || problems+=("the tag of HEAD is $tags, not v$version")
  if [[ ! $untagged ]]; then
    [[ $tags ]] || problems+=("HEAD has no tag: git tag v$version, or --untagged for a trial")
    ! grep -q "^## $version .*unreleased" CHANGELOG.md || problems+=("CHANGELOG.md says \"unreleased\": write the date there, or --untagged for a trial")
  fi
  [[ ${#problems[@]} -eq 0 ]] || fail "CMakeLists.txt says $version. Make these agree:$(printf '\n  %s' "${problems[@]}")"
}

# --- steps that make files ----------------------------------------------------------------------------------------------

# tried FILE HOW: for the table.
tried() { printf '%s\t%s\n' "${1##*/}" "$2" >>"$work/tried"; }

make_wheels() { SRCEXTRACT_CUDA=OFF scripts/wheel.sh --all "$output"; }

# The Python tests have run with the wheels without CUDA.
make_cuda() { PATH=$PATH:/usr/local/cuda/bin SRCEXTRACT_CUDA=ON scripts/wheel.sh --all --few "$output"; }

make_tarball() {
  local file
  scripts/package.sh "$output"
  for file in share/man/man1/srcextract.1 share/man/man1/srcextract-batch.1 share/bash-completion/completions/srcextract \
    share/fish/vendor_completions.d/srcextract.fish share/zsh/site-functions/_srcextract; do
    tar -tzf "$tarball" "$(basename "$tarball" .tar.gz)/$file" >/dev/null || fail "$tarball has no $file"
  done
}

make_image() {
  local image
  scripts/image.sh ${IMAGE_OPTIONS:+"$IMAGE_OPTIONS"} --oci "$output"
  for image in "$output"/srcextract-image*.tar; do tried "$image" "ran: the command and Python"; done
}

# git sorts the files, and gives them the commit's time and root as owner.
make_source() {
  git -c tar.umask=0022 archive --format=tar --prefix="srcextract-$version/" HEAD | gzip -9n >"$work/source.tar.gz"
  mv "$work/source.tar.gz" "$sources"
  diff <(git -c core.quotePath=off ls-tree -r --name-only HEAD | sort) <(tar -tzf "$sources" | sed -n "s|^srcextract-$version/\(.*[^/]\)$|\1|p" | sort) ||
    fail "$sources is not what git has (.gitattributes?)"
}

# install_rows: a row for each file that OUTPUT_DIR has.
install_rows() {
  local file name python
  for file in "$output"/srcextract*; do
    name=${file##*/}
    python=3.${name#*-cp3} python=${python%%-*}
    case $name in
      *-cp312-abi3-*.whl) echo "| Python 3.12 or later$(with_cuda "$name") | \`pip install ./$name\` |" ;;
      *-cp3*.whl) echo "| Python $python$(with_cuda "$name") | \`pip install ./$name\` |" ;;
      *-linux-*.tar.gz) echo "| the command alone, on Linux | \`tar xf $name\`, then \`${name%.tar.gz}/bin/srcextract\` |" ;;
      srcextract-image.tar) echo "| a container | \`docker load -i $name\`, or \`podman load -i $name\` |" ;;
      srcextract-image-oci.tar) echo "| an OCI image | \`podman load -i $name\`, or \`skopeo copy oci-archive:$name docker://...\` |" ;;
      srcextract-"$version".tar.gz) echo "| Python, compiled on your machine | \`pip install ./$name\` |" ;;
      *-source.tar.gz) echo "| all sources | \`tar xf $name\`, then \`scripts/run.sh\` in \`srcextract-$version\` |" ;;
    esac
  done
}

with_cuda() { [[ $1 != srcextract_cuda* ]] || echo ", with CUDA"; }

# Removes the links of the section: a parenthesis with nothing but links goes, any other link becomes its words.
make_notes() {
  local link='\[([^]]*)\]\([^)]*\)' words
  {
    printf '# srcextract %s\n\n| for | type |\n|---|---|\n' "$version"
    install_rows
    # shellcheck disable=SC2016  # a command to show
    printf '\nWheels are for Linux with glibc 2.28 or later. `sha256sum --ignore-missing -c SHA256SUMS` checks your files.\n'
    awk -v version="$version" '/^## / { ours = $2 == version; next } ours' CHANGELOG.md |
      sed -zE "s/\s+\($link(,\s*$link)*\)//g; s/$link/\1/g; s/\n###/\n##/g"
    printf '\nCHANGELOG.md in the sources links each point to its page.\n'
  } >"$notes"
  words=$(wc -w <"$notes")
  [[ $words -le $most_words ]] || fail "$notes has $words words, and one page has at most $most_words: shorten that section of CHANGELOG.md"
}

make_sums() { scripts/sums.sh "$output"; }

# --- steps that try files -----------------------------------------------------------------------------------------------

# suite_for WHEEL: the Debian or Ubuntu whose own Python fits.
suite_for() {
  case $1 in
    *-cp310-*) echo jammy ;;
    *-cp311-*) echo bookworm ;;
    *-abi3-*) echo trixie ;;
  esac
}

try_wheels() {
  local wheel suite
  for wheel in "$output"/srcextract*.whl; do
    suite=$(suite_for "$wheel")
    [[ $suite ]] || continue
    scripts/newcomer.sh --suite "$suite" --wheel "$wheel"
    tried "$wheel" "installed on a bare $suite, a catalogue within 60 s"
  done
}

try_tarball() {
  scripts/newcomer.sh --tarball "$tarball"
  tried "$tarball" "ran on a bare bookworm without a network"
}

try_source() {
  scripts/newcomer.sh --source "$sources"
  tried "$sources" "configured on a bare bookworm, not compiled"
}

try_sums() {
  (cd "$output" && sha256sum --quiet -c SHA256SUMS)
  tried SHA256SUMS "all files agree"
}

# --- what this machine lacks --------------------------------------------------------------------------------------------

lacks_nvcc() { ! PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null && echo "no nvcc"; }

lacks_debian() { ! grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release && echo "needs Debian 12"; }

lacks_chroot() { { [[ $EUID -ne 0 ]] || ! command -v debootstrap >/dev/null; } && echo "needs root and debootstrap"; }

# scripts/image.sh builds with buildah alone, which needs no daemon.
lacks_buildah() { ! command -v buildah >/dev/null && { [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; } && echo "no buildah, and no right to install it"; }

lacks_wheel() { ! compgen -G "$output/srcextract$1*.whl" >/dev/null && echo "no ${1:+fitting }wheel in $output"; }

lacks_file() { [[ ! -e $1 ]] && echo "no ${1##*/} in $output"; }

# reason_against STEP: why it cannot run, or nothing.
reason_against() {
  case $1 in
    wheels | tarball) lacks_debian ;;
    cuda) lacks_debian || lacks_nvcc ;;
    image) lacks_buildah || lacks_wheel "*-cp311-" ;;
    try-wheels) lacks_wheel "" || lacks_chroot ;;
    try-tarball) lacks_file "$tarball" || lacks_chroot ;;
    try-source) lacks_file "$sources" || lacks_chroot ;;
    try-sums) lacks_file "$output/SHA256SUMS" ;;
  esac || true
}

# --- the run ------------------------------------------------------------------------------------------------------------

check_clean
check_version
output=$(mkdir -p "$output" && realpath "$output")
sources=$output/srcextract-$version-source.tar.gz
tarball=$output/srcextract-$version-linux-$(uname -m).tar.gz
notes=$output/srcextract-$version-notes.md
others=$(find "$output" -maxdepth 1 -name 'srcextract*' ! -name "*[-_]${version}[-.]*" ! -name 'srcextract-image*')
[[ ! $others ]] || fail "files of another version would be released too. Move them away:"$'\n'"$others"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/tried" "$work/start"
rows=() left=0 failed=0

for step in "${steps[@]}"; do
  if [[ $only && ",$only," != *",$step,"* ]]; then
    rows+=("$(printf 'left out     -    %-12s not named by --only' "$step")") left=$((left + 1))
    continue
  fi
  reason=$(reason_against "$step")
  if [[ $reason ]]; then
    if [[ $only ]]; then word=FAILED failed=$((failed + 1)); else word="left out" left=$((left + 1)); fi
    rows+=("$(printf '%-8s     -    %-12s %s' "$word" "$step" "$reason")")
    continue
  fi
  echo "=== $step"
  started=$SECONDS status=0 name=make_$step
  [[ $step != try-* ]] || name=${step/-/_}
  set +e
  (set -e && "$name")
  status=$?
  set -e
  word="done"
  [[ $status -eq 0 ]] || { word=FAILED && failed=$((failed + 1)); }
  rows+=("$(printf '%-8s %5d s  %s' "$word" $((SECONDS - started)) "$step")")
done

# row_of FILE: its size, whether this run made it, and how this run tried it.
row_of() {
  local made=earlier how
  [[ ! $1 -nt $work/start ]] || made=now
  how=$(awk -F'\t' -v name="${1##*/}" '$1 == name { print $2 }' "$work/tried" | paste -sd';')
  printf '%6s  %-7s  %-72s %s\n' "$(du -h --apparent-size "$1" | cut -f1)" $made "${1##*/}" "${how:-not tried by this run}"
}

printf '\n=== srcextract %s, %s, in %s\n' "$version" "$(git rev-parse --short HEAD)" "$output"
printf '%s\n' "${rows[@]}" ""
printf '%6s  %-7s  %-72s %s\n' size made file tried
find "$output" -maxdepth 1 -type f | sort | while read -r file; do row_of "$file"; done
echo "$failed steps failed, $left left out"
[[ $failed -eq 0 ]]
