#!/usr/bin/env bash
# Makes the Debian source package of the command, from the source distribution and packaging/debian, and has lintian judge it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 1 || ${1:-} == -* ]]; then
  cat <<'END'
Usage: scripts/debian_source.sh [OUTPUT_DIR]                (OUTPUT_DIR is dist/ if not given)
Writes srcextract_VERSION.orig.tar.gz, srcextract_VERSION-1.dsc... there; `dpkg-source -x` and `dpkg-buildpackage -b` make
the package of them, on Debian 12 and Ubuntu 24.04 or later. DEBFULLNAME and DEBEMAIL name the maintainer.
END
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit
  exit 2
fi
scripts/setup.sh --recipes
output=$(mkdir -p "${1:-dist}" && realpath "${1:-dist}")
version=$(sed -n 's/^project(srcextract VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tree=build-debian/srcextract-$version
maintainer="${DEBFULLNAME:-the srcextract developers} <${DEBEMAIL:-srcextract@packages.debian.org}>"
rm -rf build-debian
mkdir -p "$tree"

# What git knows is what the source distribution has, and needs no Python here.
git archive HEAD | tar -x -C "$tree"
tar -czf "build-debian/srcextract_$version.orig.tar.gz" --owner=0 --group=0 --sort=name --mtime="$(git log -1 --format=%cI)" \
  -C build-debian "srcextract-$version"
cp -r packaging/debian "$tree"

# The compiler is part of what every Debian package may take for granted.
packages=$(scripts/setup.sh --names | sed 's/ g++ / /; s/ /, /g')
sed -i "s/@PACKAGES@/$packages/; s/@MAINTAINER@/$maintainer/" "$tree/debian/control"
{
  printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: srcextract\n\nFiles: *\n'
  sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
  printf 'License: BSD-3-Clause\n'
  sed '1,/^Copyright/d; s/^/ /; s/^ $/ ./' LICENSE | sed 1d
} >"$tree/debian/copyright"
printf 'srcextract (%s-1) UNRELEASED; urgency=medium\n\n  * Version %s; CHANGELOG.md says what is new.\n\n -- %s  %s\n' \
  "$version" "$version" "$maintainer" "$(git log -1 --format=%cD)" >"$tree/debian/changelog"

(cd "$tree" && dpkg-buildpackage -S -us -uc -d >../build.log 2>&1) || { cat build-debian/build.log >&2 && exit 1; }
# lintian does not let root pass without a warning of its own.
lintian --fail-on error,warning --allow-root build-debian/*.dsc
cp build-debian/srcextract_"$version"*.{orig.tar.gz,dsc,debian.tar.xz} "$output"
echo "debian_source: $output/srcextract_$version-1.dsc"
