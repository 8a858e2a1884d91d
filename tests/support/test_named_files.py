"""docs/architecture.md names files: all of them are there."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "build"))}


def named_files():
    """(line, name) of what stands in `backquotes` and begins with a folder of the repository or ends as sources do."""
    for number, line in enumerate((ROOT / "docs/architecture.md").read_text(encoding="utf-8").splitlines(), 1):
        for name in re.findall(r"`([\w./*-]+)`", line):
            if name.split("/")[0] in ROOMS and "/" in name or re.fullmatch(r"[\w-]+\.(hpp|cpp|cu|py)", name):
                yield number, name


def is_there(name):
    """A folder, a file, or files of that name with any ending; without a folder, anywhere."""
    if "/" not in name:
        return any(path for room in ROOMS for path in (ROOT / room).rglob(name))
    return (ROOT / name).exists() or any(ROOT.glob(name + ".*")) or any(ROOT.glob(name))


def test_every_file_that_is_named_is_there():
    names = list(named_files())
    assert len(names) > 80
    missing = [f"docs/architecture.md:{number}: {name}" for number, name in names if not is_there(name)]
    assert not missing, "\n".join(missing)
