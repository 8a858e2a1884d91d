"""``python -m srcextract``: the command that came with the package, with its arguments, exit codes and signals."""
import importlib.metadata
import os
import pathlib
import signal
import sys

from srcextract import _core
from srcextract.build import build_info


def program() -> str | None:
    """The path of the command; None if this installation has none."""
    try:
        files = importlib.metadata.files(build_info()["distribution"]) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    of_package = [str(file.locate()) for file in files if file.name == "srcextract" and file.parent.name == "bin"]
    package = pathlib.Path(str(_core.__file__)).parent
    beside = package.parent / "bin" / "srcextract"  # pip install --target, whose list of files is wrong
    built = package.parents[1] / "srcextract"  # a package within a build folder
    return next((path for path in [str(beside), *of_package, str(built)]
                 if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def main() -> None:
    """Becomes the command."""
    path = program()
    if path is None:
        sys.exit("python -m srcextract: this installation has no command beside the package; install it again from the "
                 "same wheel or sources, by pip install --force-reinstall WHEEL")
    # Python ignores these two, and what it starts would, too.
    for one in signal.SIGPIPE, signal.SIGXFSZ:
        signal.signal(one, signal.SIG_DFL)
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
