#!/usr/bin/env bash
# Builds the documentation site, which has every page of docs/, and runs every notebook of it, with warnings as errors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  cat <<'END'
Usage: scripts/docs.sh [SPHINX OPTION...]
Makes build-docs/html of all pages in docs/; build-docs/html/index.html is the first. PYTHON (default: python3) is the
interpreter. SRCEXTRACT_VENV (default: build-docs/venv) is where the virtual environment is made, or one that has the package:
then that is what is documented.
END
  exit
fi

venv=${SRCEXTRACT_VENV:-build-docs/venv}
if [[ ! -x $venv/bin/pip ]] && ! "${PYTHON:-python3}" -m venv "$venv"; then
  echo "docs.sh: no virtual environment can be made; scripts/setup.sh --python installs what it needs" >&2
  exit 2
fi
"$venv/bin/pip" install -q -r docs/requirements.txt
"$venv/bin/python" -c 'import srcextract' 2>/dev/null || "$venv/bin/pip" install -q .
"$venv/bin/sphinx-build" -W --keep-going -b html -d build-docs/trees "$@" docs build-docs/html
