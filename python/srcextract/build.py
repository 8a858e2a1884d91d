"""What this installation was built of."""
import importlib.metadata

from srcextract._core import library_versions, program_build, version


def build_info() -> dict[str, str]:
    """What this installation was built of, as ``srcextract --version`` prints it.

    Returns
    -------
    dict
        ``distribution`` (what pip installed: ``srcextract``, ``srcextract-cuda13``... or ``none``), ``version``, ``build``
        (type, compiler, commit) and the version of each library; ``CUDA`` is ``not built`` where only the CPU back end is in.

    Examples
    --------
    >>> import srcextract as sx
    >>> sx.build_info()["CUDA"]   # doctest: +SKIP
    '13.0'
    """
    installed = importlib.metadata.packages_distributions().get("srcextract", ["none"])
    return {"distribution": installed[0], "version": version(), "build": program_build(), **dict(library_versions())}
