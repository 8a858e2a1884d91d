"""mypy and pyright find the types of the package right, and what a caller gets wrong."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import srcextract

pytest.importorskip("mypy")

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(srcextract.__file__).resolve().parent
FLAGS = ["--strict", "--ignore-missing-imports", "--follow-imports=silent", "--no-warn-return-any",
         "--disable-error-code=import-untyped", "--python-version=3.12"]

RIGHT = '''
import io
import pathlib
import numpy
import srcextract as sx
import srcextract.sep as sep
from srcextract import Keys

image = numpy.zeros((64, 64), dtype=numpy.float32)
found: sx.Catalogue = sx.extract(image, detection__threshold=3, backend="cpu")
names: list[str] = found.columns
rows: int = len(found.table)
total: float = float(found["FLUX_ISO"].sum())
labels = found.segmentation.max()
found.write(pathlib.Path("found.ecsv"))
engine = sx.Extractor({"detection": {"threshold": 3}}, threads=2)
again: sx.Catalogue = engine(image, name="second")
report = sx.compare("one.fits", "two.fits")
if report.within:
    print(report.report["files"])
for one in sx.extract_many(["a.fits"], devices=[0]):
    if isinstance(one, sx.Failure):
        raise one.error
    one.write(f"{one.name}.parquet")
bright: sx.Catalogue = found[found["SNR"] > 20]
first: sx.Catalogue = found[:10]
row: dict[str, object] = found[0]
places: sx.Catalogue = found[["X_IMAGE", "Y_IMAGE"]]
signals: list[object] = [one_row["SNR"] for one_row in found]
sums: dict[str, float] = {column: float(values.sum()) for column, values in found.items()}
found.write(io.BytesIO(), "fits")
array = numpy.asarray(found)
psf: sx.Psf = sx.Psf.of(image)
smooth: sx.Catalogue = sx.extract(image, psf=psf, convolve__kernel=numpy.ones((3, 3)), mask="mask.fits")
pairs: sx.Match = bright.match(first, radius=2)
stamps: float = float(found.cutouts(21, image).sum())
keys: Keys = {"detection__threshold": 3, "background__method": "mesh"}
shallow: sx.Catalogue = sx.extract(image, **keys)
stars: sx.Catalogue = sx.crowd(sx.data.sky(), psf="sky.psf", crowd__threshold=3, threads=1)
sky: sx.Background = sx.background(image, mesh_size=32)
labels_of: sx.Labels = sx.label(sx.threshold(image, sky, threshold=4), min_area=3)
measured: sx.Catalogue = sx.measure(image, labels_of, sky)
flux, error_of_flux, flags = sep.sum_circle(image, [20.0], [30.0], 5.0)
level: float = sep.Background(image).globalback
sources: int = sx.merge(["out"], "survey.fits").sources
try:
    sx.difference("monday.fits", "tuesday.fits")
except (sx.ConfigError, sx.InputError, sx.DeviceError, sx.OutOfMemoryError) as error:
    print(error)
'''
WRONG = {'sx.extract("a.fits", backend="gpu")': "arg-type", 'sx.Extractor(backend="gpu")': "arg-type",
         'sx.extract("a.fits", detection__treshold=3)': "call-arg", 'sx.extract("a.fits", threshold=3)': "call-arg",
         'sx.extract_many(["a.fits"], background__method="mean")': "arg-type", 'sx.background("a", mesh_sise=3)': "call-arg",
         'sx.crowd("a.fits", psf__methot="fit")': "call-arg", 'sx.label("a", min_area="five")': "arg-type",
         'sx.extract("a.fits").plot(kind="moon")': "arg-type", 'sx.extract("a.fits", backend=3)': "arg-type", 'sx.extract(3)': "arg-type", 'sx.extract(None)': "arg-type", 'sx.keys(3)': "arg-type", 'sx.extract("a.fits").write(3)': "arg-type",
         'sx.extract("a.fits", convolve__kernel="gausian")': "arg-type", 'sx.extract("a.fits")[{"a": 1}]': "call-overload",
         'sx.extract("a.fits").tabel': "attr-defined", 'sx.merge("out")': "call-arg",
         'x: int = sx.extract("a.fits").shape': "assignment", 'sx.Extractor(threads="all")': "arg-type"}


INSTALLED = "site-packages" in PACKAGE.parts
DOCUMENTED = ROOT / "docs" / "python.md"


def mypy(*arguments, cwd):
    """Runs it on the package that is tested, which mypy finds by itself where it is installed."""
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(srcextract.__file__).absolute().parents[1])}
    if not INSTALLED:
        environment["MYPYPATH"] = str(PACKAGE.parent)
    else:
        del environment["PYTHONPATH"]
    return subprocess.run([sys.executable, "-m", "mypy", *arguments], capture_output=True, text=True, env=environment,
                          cwd=cwd)


def check(*arguments, cwd):
    return mypy(*FLAGS, *arguments, cwd=cwd)


def test_the_package_is_typed(tmp_path):
    assert (PACKAGE / "py.typed").exists()
    modules = {f"srcextract.{path.stem}" for path in PACKAGE.glob("*.py*") if path.suffix in (".py", ".pyi")}
    ours = [word for name in sorted(modules - {"srcextract.__init__"}) for word in ("-m", name)]
    result = check("--cache-dir", str(tmp_path), *ours, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_caller_is_told_what_is_wrong(tmp_path):
    (tmp_path / "right.py").write_text(RIGHT)
    result = check("--cache-dir", str(tmp_path / "cache"), str(tmp_path / "right.py"), cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    (tmp_path / "wrong.py").write_text("import srcextract as sx\n" + "\n".join(WRONG) + "\n")
    result = check("--cache-dir", str(tmp_path / "cache"), str(tmp_path / "wrong.py"), cwd=tmp_path)
    lines = [line.split("wrong.py:", 1)[1] for line in result.stdout.splitlines() if "wrong.py:" in line and " error: " in line]
    told = dict(line.split(":", 1) for line in lines)
    for number, (line, kind) in enumerate(WRONG.items(), 2):
        assert f"[{kind}]" in told.get(str(number), ""), (line, result.stdout)


def pyright(*arguments, cwd):
    """Runs it, strict, with the package that is tested."""
    pytest.importorskip("pyright")
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.12"}
    if not INSTALLED:
        settings["extraPaths"] = [str(PACKAGE.parent)]
    (cwd / "pyrightconfig.json").write_text(json.dumps(settings))
    # It asks the first python of the path what is installed.
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, "-m", "pyright", *arguments], capture_output=True, text=True, env=environment, cwd=cwd)
    assert "informations" in done.stdout or "Completed" in done.stdout, done.stdout + done.stderr
    return done


def documented_loop():
    """The example of python.md that goes through many images."""
    if not DOCUMENTED.exists():
        pytest.skip("no data: docs/ is not here")
    return next(code for code in re.findall(r"^```python\n(.*?)^```", DOCUMENTED.read_text(), re.M | re.S) if "extract_many(" in code)


def test_mypy_strict_takes_the_documented_loop(tmp_path):
    (tmp_path / "loop.py").write_text(documented_loop())
    (tmp_path / "right.py").write_text(RIGHT)
    flags = ["--strict"] if INSTALLED else FLAGS
    result = mypy(*flags, "--cache-dir", str(tmp_path / "cache"), "loop.py", "right.py", cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_pyright_strict_takes_the_documented_loop(tmp_path):
    (tmp_path / "loop.py").write_text(documented_loop())
    (tmp_path / "right.py").write_text(RIGHT)
    result = pyright("loop.py", "right.py", cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    (tmp_path / "wrong.py").write_text("import srcextract as sx\n" + "\n".join(WRONG) + "\n")
    result = pyright("wrong.py", cwd=tmp_path)
    told = {int(number) for number in re.findall(r"wrong\.py:(\d+):\d+ - error", result.stdout)}
    assert told == set(range(2, 2 + len(WRONG))), result.stdout


def test_pyright_knows_every_public_type(tmp_path):
    if not INSTALLED:
        pytest.skip("no data: pyright verifies installed packages")
    result = pyright("--verifytypes", "srcextract", "--ignoreexternal", cwd=tmp_path)
    assert "Type completeness score: 100%" in result.stdout, result.stdout


def test_the_types_of_keys_are_those_of_the_schema():
    if not (ROOT / "scripts").is_dir():
        pytest.skip("no data: scripts/ is not here")
    done = subprocess.run([sys.executable, ROOT / "scripts" / "generate_keys.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    from srcextract import configuration, key_types
    assert set(key_types.Keys.__annotations__) == set(configuration._keys())


def test_the_stub_has_what_the_compiled_half_has():
    import ast
    from srcextract import _core
    stub = ast.parse((PACKAGE / "_core.pyi").read_text())
    told = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    has_devices = any(name.startswith("device_") for name in dir(_core))  # which a build without CUDA has not
    for name, node in told.items():
        if name.startswith("device_") and not has_devices:
            continue
        assert hasattr(_core, name), name
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                of_class = getattr(member, "name", None) or getattr(getattr(member, "target", None), "id", None)
                if of_class not in (None, "keys", "lender"):  # which Python gives its objects
                    assert hasattr(getattr(_core, name), of_class), (name, of_class)
