"""Files that cannot be read, or not whole: what is said, and that the rest of the work is done."""

import os
import resource

import pytest

from fits_files import HEIGHT, WIDTH, hdu, sky, write

WITH_LIMITS = pytest.mark.skipif(os.environ.get("SRCEXTRACT_SANITIZE", "") != "",
                                 reason="sanitizers: they need the address space")


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def errors(done):
    """Sorted: HDUs are extracted side by side, and any of them may be the first to fail."""
    return sorted(line for line in done.err.splitlines() if line.startswith("error: "))


def test_a_bad_header_does_not_stop_the_other_hdus(run, config, tmp_path):
    good = hdu((WIDTH, HEIGHT), -32, sky(), primary=False)
    no_value = hdu((4, 4), 16, [1, 2] * 8, primary=False, BSCALE=0.0)
    truncated = hdu((WIDTH, HEIGHT), -32, sky(), primary=False)[:2880]
    write(tmp_path / "mef.fits", hdu((), 8), no_value, good, truncated)
    done = run(config, "mef.fits", "--set", "input.hdu=all", "-o", "out")
    assert done.code == 3
    first, second = errors(done)
    assert first.startswith("error: HDU 1 of mef.fits: BSCALE = 0,") and first.count("mef.fits") == 1
    assert second.startswith("error: HDU 3 of mef.fits is truncated") and second.count("mef.fits") == 1
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["mef.hdu2.cat.csv", "mef.hdu2.run.json"]


def test_a_message_names_the_hdu_once(run, config, tmp_path):
    named = [hdu((WIDTH, HEIGHT), -32, sky(), primary=False, EXTNAME=name) for name in ("SCI", "ERR")]
    write(tmp_path / "mef.fits", hdu((), 8), *named)
    done = run(config, "mef.fits", "--set", "input.hdu=all", "--set", "input.plane=2")
    assert done.code == 3
    assert errors(done)[0].startswith("error: HDU 1 'SCI' of mef.fits has no plane 2")
    assert [line.count("mef.fits") for line in errors(done)] == [1, 1]


@WITH_LIMITS
def test_too_little_memory_for_the_image(run, config, tmp_path):
    path = write(tmp_path / "huge.fits", hdu((80000, 80000), 8))
    os.truncate(path, 7 << 30)  # zeros that take no disk
    done = run(config, path, "-o", "out", "--backend", "cpu", "--threads", 2, preexec_fn=limit_memory)
    assert done.code == 1
    assert "MB of memory" in errors(done)[0] and "`ulimit -v` allows" in errors(done)[0]


@WITH_LIMITS
def test_gzip_that_is_damaged_takes_no_memory_for_what_it_might_hold(run, config, tmp_path):
    path = write(tmp_path / "huge.fits", b"\x1f\x8b")
    os.truncate(path, 7 << 30)
    done = run(config, path, "-o", "out", "--backend", "cpu", "--threads", 2, preexec_fn=limit_memory)
    assert done.code == 3
    assert "the gzip file is damaged" in errors(done)[0]
