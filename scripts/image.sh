#!/usr/bin/env bash
# Builds the container image of packaging/Containerfile with buildah, without an engine, and tries it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bare='' oci='' output=dist
for argument in "$@"; do
  case $argument in
    --bare) bare=1 ;;
    --oci) oci=1 ;;
    -*)
      cat <<'END'
Usage: scripts/image.sh [--bare] [--oci] [OUTPUT_DIR]        (OUTPUT_DIR is dist/ if not given)
Needs OUTPUT_DIR/srcextract*-cp311-*.whl of scripts/wheel.sh, and takes the one with CUDA where there are two. Writes
OUTPUT_DIR/srcextract-image.tar, for `docker load`, `podman load` and packaging/apptainer.def. --bare makes Debian itself with
debootstrap (as root), and asks no registry of images. --oci also writes OUTPUT_DIR/srcextract-image-oci.tar, an OCI archive,
for registries, Podman, and Docker 25 or later.
END
      [[ $argument == --help || $argument == -h ]] && exit
      exit 2
      ;;
    *) output=$argument ;;
  esac
done
scripts/setup.sh --image
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}
work=build-image
rm -rf $work
mkdir -p $work/dist
wheel=$(find "$output" -maxdepth 1 -name 'srcextract*-cp311-*.whl' | sort -r | head -n 1)
[[ $wheel ]] || { echo "image: no wheel for Python 3.11 in $output: scripts/wheel.sh makes it" >&2 && exit 1; }
cp "$wheel" $work/dist

base=docker.io/library/debian:bookworm-slim
if [[ $bare ]]; then
  base=localhost/srcextract-bookworm
  mirror=$(apt-get indextargets --format "\$(SITE)" 'Created-By: Packages' | grep -m 1 'debian$')
  debootstrap --variant=minbase bookworm $work/debian "$mirror" >$work/debian.log
  container=$(buildah from scratch)
  buildah copy -q "$container" $work/debian / >/dev/null
  buildah commit -q --rm "$container" $base >/dev/null
  rm -rf --one-file-system $work/debian
fi
buildah build -q --build-arg BASE=$base -f packaging/Containerfile -t srcextract $work >$work/image.log
archives=(docker-archive:srcextract-image.tar)
[[ ! $oci ]] || archives+=(oci-archive:srcextract-image-oci.tar)
for archive in "${archives[@]}"; do
  # buildah refuses to overwrite an archive.
  rm -f "$output/${archive#*:}"
  buildah push -q srcextract "${archive%%:*}:$(realpath "$output")/${archive#*:}:srcextract:latest"
done
scripts/sums.sh "$output"

# The image of each archive finds the sources of data/reference, from the command and from Python.
trap 'buildah rm "$container" >/dev/null' EXIT
for archive in "${archives[@]}"; do
  container=$(buildah from "${archive%%:*}:$(realpath "$output")/${archive#*:}")
  buildah run -v "$PWD/data:/data:ro" "$container" -- bash -euc '
    srcextract --version
    srcextract -q --backend cpu -o /tmp/out /data/sky.fits
    srcextract compare -q /data/reference/default/sky.cat.ecsv /tmp/out/sky.cat.fits
    /opt/srcextract/bin/python -c "import srcextract; print(srcextract.build_info()); print(srcextract.extract(\"/data/sky.fits\"))"'
  buildah rm "$container" >/dev/null
  echo "image: $output/${archive#*:}, $(du -h "$output/${archive#*:}" | cut -f1)"
done
trap - EXIT
