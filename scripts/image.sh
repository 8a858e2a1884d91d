#!/usr/bin/env bash
# Builds the container image of packaging/Containerfile with buildah, without an engine, and tries it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bare='' output=dist
for argument in "$@"; do
  case $argument in
    --bare) bare=1 ;;
    -*)
      cat <<'END'
Usage: scripts/image.sh [--bare] [OUTPUT_DIR]                (OUTPUT_DIR is dist/ if not given)
Needs OUTPUT_DIR/srcextract*-cp311-*.whl of scripts/wheel.sh. Writes OUTPUT_DIR/srcextract-image.tar, for `docker load`,
`podman load` and packaging/apptainer.def. --bare makes Debian itself with debootstrap (as root), and asks no registry of images.
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
cp "$output"/srcextract*-cp311-*.whl $work/dist || { echo "image: no wheel for Python 3.11 in $output: scripts/wheel.sh makes it" >&2 && exit 1; }

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
buildah push -q srcextract "docker-archive:$(realpath $work)/srcextract-image.tar:srcextract:latest"
mv $work/srcextract-image.tar "$output"
scripts/sums.sh "$output"

# The image finds the sources of data/reference, from the command and from Python.
container=$(buildah from localhost/srcextract)
trap 'buildah rm "$container" >/dev/null' EXIT
buildah run -v "$PWD/data:/data:ro" "$container" -- bash -euc '
  srcextract --version
  srcextract -q --backend cpu -o /tmp/out /data/sky.fits
  srcextract compare -q /data/reference/default/sky.cat.ecsv /tmp/out/sky.cat.fits
  /opt/srcextract/bin/python -c "import srcextract; print(srcextract.build_info()); print(srcextract.extract(\"/data/sky.fits\"))"'
echo "image: $output/srcextract-image.tar, $(du -h "$output/srcextract-image.tar" | cut -f1)"
