#!/usr/bin/env bash
# Makes a relocatable tarball: the program and every library that it needs beyond glibc and the NVIDIA driver.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/package.sh [--with-tests] [OUTPUT_DIR]
Writes OUTPUT_DIR/srcextract-VERSION-linux-ARCH.tar.gz and SHA256SUMS (OUTPUT_DIR is dist/ if not given). Unpack it anywhere on a
machine whose glibc is not older than this one's and run bin/srcextract. --with-tests adds the test programs, the
Python tests and scripts/gpu_check.sh; SRCEXTRACT_CUDA=OFF in the environment leaves the CUDA back end out.
END
}

with_tests=OFF output=dist
for argument in "$@"; do
  case $argument in
    --with-tests) with_tests=ON ;;
    --help | -h) usage && exit ;;
    -*) usage >&2 && exit 2 ;;
    *) output=$argument ;;
  esac
done

# What every machine has of its own: the C library, and the driver that must fit its kernel module.
is_of_the_host() { [[ $1 =~ ^(linux-vdso|ld-linux.*|lib(c|m|mvec|pthread|dl|rt|resolv|util|anl|cuda|nvidia-.*))\.so ]]; }

# The libraries that the loader gives to these files, all the way down.
libraries_of() { ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u; }

copy_libraries() {
  local library name
  libraries_of "$tree"/bin/* | while read -r library; do
    name=$(basename "$library")
    is_of_the_host "$name" || cp -L "$library" "$tree/lib/$name"
  done
  chmod -R u+w "$tree/lib"
}

# The terms of the libraries that travel along, as Debian states them.
copy_licences() {
  local library package
  mkdir -p "$tree/licenses"
  libraries_of "$tree"/bin/* | while read -r library; do
    is_of_the_host "$(basename "$library")" && continue
    # On a merged /usr dpkg may know the file by its name without /usr.
    package=$(dpkg-query -S "$(realpath "$library")" 2>/dev/null || dpkg-query -S "*/$(basename "$(realpath "$library")")" 2>/dev/null || true)
    package=${package%%:*}
    [[ -z $package ]] || cp -L "/usr/share/doc/$package/copyright" "$tree/licenses/$package"
  done
}

# The oldest form of the search path (DT_RPATH) outranks LD_LIBRARY_PATH, which clusters' module systems fill.
make_relocatable() {
  strip --strip-unneeded "$tree"/bin/* "$tree"/lib/*
  for file in "$tree"/bin/*; do patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$file"; done
  for file in "$tree"/lib/*; do patchelf --force-rpath --set-rpath "\$ORIGIN" "$file"; done
}

# Fails if the loader would take anything from outside the package that not every machine has.
check_closed() {
  local file name library
  for file in "$tree"/bin/* "$tree"/lib/*; do
    env -i ldd "$file" | awk '{ print $1, $3 }' | while read -r name library; do
      is_of_the_host "$(basename "$name")" || [[ $(realpath -m "$library") == "$(realpath "$tree")"/lib/* ]] ||
        { echo "package: $file would load $name from ${library:-nowhere}" >&2 && exit 1; }
    done
  done
}

setup_options=(--package)
[[ $with_tests == OFF ]] || setup_options+=(--tests)
scripts/setup.sh "${setup_options[@]}"
cmake -S . -B build-package -G Ninja -DCMAKE_BUILD_TYPE=Release -DSRCEXTRACT_CUDA="${SRCEXTRACT_CUDA:-AUTO}" \
  -DSRCEXTRACT_HARDENED=ON -DSRCEXTRACT_TESTS=$with_tests -DSRCEXTRACT_BENCHMARKS=$with_tests
cmake --build build-package

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' build-package/CMakeCache.txt)
name=srcextract-$version-linux-$(uname -m)
tree=build-package/$name
rm -rf "$tree"
mkdir -p "$tree/bin" "$tree/lib" "$output"
cp build-package/srcextract "$tree/bin"
if [[ $with_tests == ON ]]; then
  find build-package/tests -maxdepth 1 -type f -executable -exec cp -t "$tree/bin" {} +
  scripts/package_files.sh "$tree" --with-tests
else
  scripts/package_files.sh "$tree"
fi
copy_libraries
copy_licences
make_relocatable
check_closed
scripts/hardened.sh "$tree/bin/srcextract"
scripts/man_pages.sh "$tree/bin/srcextract" "$tree/share/man/man1"
env -i "$tree/bin/srcextract" --version

tar -C build-package -czf "$output/$name.tar.gz" --owner=0 --group=0 --sort=name "$name"
scripts/sums.sh "$output"
echo "$output/$name.tar.gz: $(du -h "$output/$name.tar.gz" | cut -f1) packed, $(du -sh "$tree" | cut -f1) unpacked"
